//! Figures of panels.

use signorini_figures::{
    Anchor, Colour, Drawing, Figure, Mark, Panel, Pen, PlotAxis, Scale, Series, Text, colour, text_width,
};

fn panel(series: Vec<Series>) -> Panel {
    Panel {
        caption: "ball".to_owned(),
        x: PlotAxis::time(),
        y_label: "force (N)".to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise: 0.0,
        series,
    }
}

fn figure(panels: Vec<Panel>) -> Figure {
    Figure { stem: "x".to_owned(), title: "Forces".to_owned(), panels }
}

fn texts(drawing: &Drawing) -> Vec<&Text> {
    let mut found = Vec::new();
    for mark in &drawing.marks {
        if let Mark::Text(text) = mark {
            found.push(text);
        }
    }
    found
}

/// Points of the lines of a colour.
fn lines(drawing: &Drawing, of: Colour) -> Vec<&[(f64, f64)]> {
    let mut found = Vec::new();
    for mark in &drawing.marks {
        if let Mark::Line { points, colour, .. } = mark
            && *colour == of
        {
            found.push(points.as_slice());
        }
    }
    found
}

#[test]
fn figures_carry_title_axes_legend_and_curves() {
    let curve = Series::line("normal force", colour::BLUE, vec![(0.5, 0.0), (1.0, 4.0), (2.0, 2.0)]);
    let dots = Series::line("impact", colour::RED, vec![(1.0, 4.0)]).with_pen(Pen::Dots(3));
    let drawing = figure(vec![panel(vec![curve, dots])]).drawing();
    assert_eq!((drawing.width, drawing.height), (900, 374));
    let found: Vec<&str> = texts(&drawing).iter().map(|t| t.text.as_str()).collect();
    for text in ["Forces", "ball", "normal force", "impact", "time (s)", "force (N)", "0", "0.5", "2", "4"] {
        assert!(found.contains(&text), "{text} is not among {found:?}");
    }
    let [line] = lines(&drawing, colour::BLUE)[..] else { panic!("one curve") };
    // Time is shown from its beginning.
    assert_eq!((line[0].0, line[2].0), (96.5 + 780.0 / 4.0, 876.5));
    assert!(line[1].1 < line[2].1 && line[2].1 < line[0].1, "more is higher: {line:?}");
    let dot = drawing.marks.iter().any(
        |m| matches!(m, Mark::Circle { centre, radius: 3.0, colour: colour::RED } if *centre == line[1]),
    );
    assert!(dot, "the dot lies on the curve");
}

#[test]
fn pictures_stand_below_their_values() {
    let bars: Vec<Series> =
        [1.0, 2.0].map(|x| Series::line("", colour::BLUE, vec![(x, 0.0), (x, 1.0)])).into();
    let chart = figure(vec![panel(bars)]);
    let picture = || {
        let mut picture = Drawing::new(80, 60);
        picture.marks.push(Mark::Circle { centre: (40.0, 30.0), radius: 5.0, colour: colour::GREEN });
        picture
    };
    let drawing = chart.with_pictures(&[(1.0, picture()), (2.0, picture())]);
    assert_eq!(drawing.height, chart.drawing().height + 60);
    let bars = lines(&drawing, colour::BLUE).into_iter().map(|line| line[0].0);
    let of = |mark: &Mark| match mark {
        Mark::Circle { centre, colour: colour::GREEN, .. } => Some(*centre),
        _ => None,
    };
    let pictures: Vec<_> = drawing.marks.iter().filter_map(of).collect();
    assert_eq!(bars.collect::<Vec<_>>(), pictures.iter().map(|p| p.0).collect::<Vec<_>>());
    let label = texts(&drawing).into_iter().find(|t| t.text == "time (s)").expect("a label");
    assert!(pictures.iter().all(|p| p.1 + 30.0 < label.at.1) && label.at.1 < f64::from(drawing.height));
}

#[test]
fn points_that_are_not_finite_interrupt_lines() {
    let points = vec![
        (0.0, 1.0),
        (1.0, 2.0),
        (2.0, f64::NAN),
        (3.0, 1.0),
        (4.0, f64::INFINITY),
        (5.0, 1.0),
        (6.0, 1.0),
    ];
    let drawing = figure(vec![panel(vec![Series::line("", colour::BLUE, points)])]).drawing();
    assert_eq!(lines(&drawing, colour::BLUE).iter().map(|l| l.len()).collect::<Vec<_>>(), [2, 2]);
    let is_dot = |m: &&Mark| matches!(m, Mark::Circle { colour: colour::BLUE, radius: 1.5, .. });
    assert_eq!(drawing.marks.iter().filter(is_dot).count(), 1, "a point between gaps is seen");
}

#[test]
fn thinning_keeps_the_peaks_and_the_order() {
    let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), f64::from(i % 7))).collect();
    points[77_777].1 = 99.0;
    points[33_333].1 = -99.0;
    let drawing = figure(vec![panel(vec![Series::line("", colour::BLUE, points)])]).drawing();
    let [line] = lines(&drawing, colour::BLUE)[..] else { panic!("one curve") };
    assert!(line.len() <= 3002, "{}", line.len());
    let at = |x: f64| 96.5 + 780.0 * x / 99_999.0;
    let (top, bottom) = (72.5, 320.5);
    let has = |x: f64, y: f64| line.iter().any(|p| (p.0 - at(x)).abs() < 1e-6 && (p.1 - y).abs() < 1e-6);
    // 6 % are free above and below.
    let margin = (bottom - top) * 0.06 / 1.12;
    assert!(has(77_777.0, top + margin) && has(33_333.0, bottom - margin));
    assert!(line.windows(2).all(|w| w[0].0 <= w[1].0));
}

/// Left, right, top and bottom of a text that lies level.
fn extent(text: &Text) -> (f64, f64, f64, f64) {
    let width = text_width(&text.text, text.size);
    let left = text.at.0 - width * [0.0, 0.5, 1.0][text.anchor as usize];
    (left, left + width, text.at.1 - 0.73 * text.size, text.at.1 + 0.2 * text.size)
}

#[test]
fn texts_stay_on_paper_and_apart() {
    let many: Vec<Series> = (0..40)
        .map(|i| {
            let points = vec![(0.0, -1.234_567e-9 * f64::from(i)), (1234.5, 1e-12)];
            Series::line(&format!("kind {i}, pose {i} of a body"), colour::BLUE, points)
        })
        .collect();
    let log = Panel { x: PlotAxis { label: "h (s)".to_owned(), scale: Scale::Log10 }, ..panel(Vec::new()) };
    let ends = vec![(-3.6, 1e7), (-2.4, 1.000_01e7)];
    let long = Panel {
        y_label: "a name that is as long as nobody wants names of axes to be, with its unit (kg)".to_owned(),
        caption: "a body of a long name".to_owned(),
        with_zero: false,
        series: vec![Series::line("x", colour::BLUE, ends)],
        ..log
    };
    for panels in [vec![panel(many)], vec![long], vec![panel(Vec::new())]] {
        let drawing = Figure { title: "long title ".repeat(20), ..figure(panels) }.drawing();
        let level: Vec<&Text> = texts(&drawing).into_iter().filter(|t| t.rotation == 0.0).collect();
        for (i, text) in level.iter().enumerate() {
            let (left, right, top, bottom) = extent(text);
            assert!(left >= 0.0 && right <= 900.0 && top >= 0.0 && bottom <= 374.0, "{text:?}");
            for other in &level[..i] {
                let (l, r, t, b) = extent(other);
                let is_apart = right < l || r < left || bottom <= t || b <= top;
                assert!(is_apart, "{text:?} covers {other:?}");
            }
        }
        let turned: Vec<&Text> = texts(&drawing).into_iter().filter(|t| t.rotation != 0.0).collect();
        let [title] = turned[..] else { panic!("one text is turned") };
        let right = title.at.0 + 0.2 * title.size;
        let labels = level.iter().filter(|t| t.anchor == Anchor::End);
        assert!(labels.map(|t| extent(t).0).fold(f64::INFINITY, f64::min) > right, "labels cover {title:?}");
        assert!(text_width(&title.text, title.size) < 260.0, "{title:?}");
    }
}
