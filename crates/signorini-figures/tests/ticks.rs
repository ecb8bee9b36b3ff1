//! Ranges, ticks and labels of axes.

use signorini_figures::{Scale, Ticks};

fn ticks(low: f64, high: f64) -> Ticks {
    Ticks::new(Scale::Linear, [low, high].into_iter(), false, 0.0)
}

fn labels(ticks: &Ticks, most: usize) -> Vec<String> {
    ticks.places(most).into_iter().map(|t| t.label).filter(|l| !l.is_empty()).collect()
}

#[test]
fn labels_are_short_and_tell_ticks_apart() {
    assert_eq!(ticks(0.0, 1.0).label(0.1 + 0.2), "0.3");
    assert_eq!(ticks(0.0, 0.02).label(0.0125), "0.0125");
    assert_eq!(ticks(-1.0, 1.0).label(-1e-17), "0");
    assert_eq!(ticks(0.0, 2e6).label(1.5e6), "1.5e6");
    assert_eq!(ticks(0.0, 3e-7).label(1e-7), "1e-7");
    assert_eq!(ticks(100.0, 100.01).label(100.004), "100.004");
    assert_eq!(ticks(0.0, 4000.0).label(2500.0), "2500");
}

#[test]
fn degenerate_ranges_become_proper_ones() {
    let constant = ticks(6.0, 6.0 + 1e-13).range();
    assert!((constant.start - 5.4).abs() < 1e-9 && (constant.end - 6.6).abs() < 1e-9, "{constant:?}");
    assert_eq!(ticks(0.0, 0.0).range(), -1.0..1.0);
    let still = |noise| Ticks::new(Scale::Linear, [0.0, 3e-12].into_iter(), true, noise).range();
    assert_eq!((still(1e-11), still(1e-13)), (-1.0..1.0, 0.0..3e-12));
    assert_eq!(Ticks::new(Scale::Linear, std::iter::empty(), true, 0.0).range(), 0.0..1.0);
    let log = Ticks::new(Scale::Log10, [-12.1, -8.0].into_iter(), false, 0.0);
    assert_eq!(log.range(), -13.0..-7.0);
    assert_eq!(log.label(-8.0), "1e-8");
}

#[test]
fn ticks_lie_at_round_numbers_up_to_the_ends() {
    assert_eq!(labels(&ticks(0.0, 10.0), 10), ["0", "2", "4", "6", "8", "10"]);
    assert_eq!(labels(&ticks(0.0, 0.3), 8), ["0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3"]);
    assert_eq!(labels(&ticks(-1.3, 0.08), 8), ["-1.2", "-1", "-0.8", "-0.6", "-0.4", "-0.2", "0"]);
    // 3 × 0.1 is more than 0.3.
    assert_eq!(labels(&ticks(3.0 * 0.1, 0.9), 8), ["0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"]);
    assert_eq!(labels(&ticks(99.995, 100.012), 6), ["99.995", "100", "100.005", "100.01"]);
}

#[test]
fn no_axis_has_more_labels_than_fit_or_fewer_than_two() {
    for exponent in -300..300 {
        for mantissa in [1.0, 1.7, 2.0, 2.6, 4.99, 5.0, 7.3, 9.99] {
            let span = mantissa * 10_f64.powi(exponent);
            for low in [0.0, -0.3 * span, 17.3 * span] {
                let found = labels(&ticks(low, low + span), 8);
                assert!((2..=8).contains(&found.len()), "{low}, {span}: {found:?}");
                assert!(found.windows(2).all(|w| w[0] != w[1]), "{low}, {span}: {found:?}");
            }
        }
    }
}

#[test]
fn counts_have_no_ticks_between_whole_numbers() {
    let count = |high| Ticks::new(Scale::Count, [0.0, high].into_iter(), true, 0.0).with_margin(0.06);
    assert_eq!(labels(&count(1.0), 8), ["0", "1"]);
    assert_eq!(labels(&count(6.0), 8), ["0", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(labels(&count(30.0), 8), ["0", "5", "10", "15", "20", "25", "30"]);
}

#[test]
fn decades_bear_labels_and_few_decades_some_between() {
    let log = |low: f64, high: f64| Ticks::new(Scale::Log10, [low, high].into_iter(), false, 0.0);
    let short = log(-3.7, -2.4);
    assert_eq!(labels(&short, 10), ["1e-4", "2e-4", "5e-4", "1e-3", "2e-3", "5e-3", "1e-2"]);
    // 2 decades of 9 ticks and the end.
    assert_eq!(short.places(10).len(), 19);
    assert!((short.places(10)[1].at - 2e-4_f64.log10()).abs() < 1e-12);
    assert_eq!(labels(&log(-4.5, -1.5), 8), ["1e-5", "1e-4", "1e-3", "1e-2", "1e-1"]);
    assert_eq!(labels(&log(-17.8, 1.5), 8), ["1e-15", "1e-10", "1e-5", "1e0"]);
}
