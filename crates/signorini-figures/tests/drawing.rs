//! Marks as SVG, as pixels, and the letters of the font.

use signorini_figures::{Anchor, Colour, Drawing, Mark, colour, encode_png, text_width};

/// Width, height and pixels of a PNG.
fn decoded(file: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (info.width, info.height, bytes.as_chunks::<3>().0.to_vec())
}

/// The columns of pixels in which a drawing is not white, of the rows given. A PNG has two pixels for each of
/// a drawing, along both sides.
fn inked(drawing: &Drawing, rows: std::ops::Range<usize>) -> Vec<usize> {
    let (width, _, pixels) = decoded(&drawing.png().expect("a picture"));
    let rows: Vec<&[[u8; 3]]> =
        pixels.chunks(width as usize).skip(2 * rows.start).take(2 * rows.len()).collect();
    (0..width as usize).filter(|x| rows.iter().any(|row| row[*x] != [255; 3])).collect()
}

fn drawn() -> Drawing {
    let mut drawing = Drawing::new(200, 100);
    drawing.rectangle((10.0, 10.0), (30.0, 20.0), colour::BLUE);
    drawing.line(vec![(20.0, 50.0), (180.0, 50.0)], 4.0, colour::RED);
    drawing.marks.push(Mark::Circle { centre: (100.0, 80.0), radius: 8.0, colour: colour::GREEN });
    drawing.text((5.0, 40.0), "a < b & \"c\"\u{1} ω₀² µm", 13.0).anchor = Anchor::Start;
    drawing
}

#[test]
fn svg_is_xml_and_carries_text_as_text() {
    let file = drawn().svg();
    let tree = roxmltree::Document::parse(&file).expect("XML");
    let root = tree.root_element();
    assert_eq!((root.attribute("width"), root.attribute("height")), (Some("200"), Some("100")));
    assert_eq!(root.attribute("font-family"), Some("DejaVu Sans, Verdana, sans-serif"));
    let texts: Vec<_> = tree.descendants().filter(|n| n.has_tag_name("text")).map(|n| n.text()).collect();
    assert_eq!(texts, [Some("a < b & \"c\"\u{fffd} ω₀² µm")]);
    let line = tree.descendants().find(|n| n.has_tag_name("polyline")).expect("a line");
    assert_eq!((line.attribute("points"), line.attribute("stroke")), (Some("20,50 180,50"), Some("#D55E00")));
}

#[test]
fn ink_is_where_marks_are() {
    let drawing = drawn();
    let (width, height, pixels) = decoded(&drawing.png().expect("a picture"));
    assert_eq!((width, height), (400, 200));
    let at = |x: usize, y: usize| {
        let [red, green, blue] = pixels[400 * y + x];
        Colour(red, green, blue)
    };
    assert_eq!((at(40, 30), at(200, 160)), (colour::BLUE, colour::GREEN));
    let column: Vec<_> = (92..108).map(|y| at(200, y)).collect();
    assert_eq!(column[4..12], [colour::RED; 8], "eight rows of a line four wide");
    assert_eq!((column[3], column[12]), (colour::WHITE, colour::WHITE));
    // Ends are cut, where round ones would reach further.
    assert_eq!(inked(&drawing, 47..53), (40..360).collect::<Vec<_>>());
}

#[test]
fn a_drawing_lies_in_another_where_it_is_placed() {
    let mut sheet = Drawing::new(300, 200);
    sheet.place(&drawn(), (50.0, 70.0));
    let marks = sheet.marks.iter().zip(drawn().marks).map(|pair| match pair {
        (Mark::Line { points: a, .. }, Mark::Line { points: b, .. })
        | (Mark::Polygon { points: a, .. }, Mark::Polygon { points: b, .. }) => (a[0], b[0]),
        (Mark::Circle { centre: a, .. }, Mark::Circle { centre: b, .. }) => (*a, b),
        (Mark::Text(a), Mark::Text(b)) => (a.at, b.at),
        other => panic!("{other:?}"),
    });
    let marks: Vec<_> = marks.collect();
    assert_eq!(marks.len(), drawn().marks.len());
    assert!(marks.iter().all(|(a, b)| *a == (b.0 + 50.0, b.1 + 70.0)), "{marks:?}");
}

#[test]
fn equal_drawings_give_equal_bytes() {
    assert_eq!(drawn().png().unwrap(), drawn().png().unwrap());
    assert_eq!(drawn().svg(), drawn().svg());
}

#[test]
fn letters_follow_one_another_evenly() {
    // Of 2048 units: t, i, m, e as DejaVu Sans has them.
    let advances = [803, 569, 1995, 1260].map(|units| f64::from(units) / 2048.0);
    for size in [13.0, 18.0] {
        let sum: f64 = ["t", "i", "m", "e"].iter().map(|letter| text_width(letter, size)).sum();
        assert!((text_width("time", size) - sum).abs() < 1e-4);
        assert!((sum - size * advances.iter().sum::<f64>()).abs() < 1e-4, "{sum}");
    }
    // Equal letters are equally far apart, though a step is no whole number of pixels.
    let mut drawing = Drawing::new(400, 30);
    drawing.text((10.0, 20.0), &"l".repeat(40), 13.0);
    let columns = inked(&drawing, 0..30);
    let starts: Vec<usize> = columns.iter().copied().filter(|x| !columns.contains(&(x - 1))).collect();
    assert_eq!(starts.len(), 40);
    let step = 2.0 * text_width("l", 13.0);
    let shift = |(i, x): (usize, &usize)| *x as f64 - step * i as f64;
    let (low, high) =
        starts.iter().enumerate().map(shift).fold((1e9, 0.0_f64), |(l, h), s| (s.min(l), s.max(h)));
    assert!(high - low <= 1.0, "{low} to {high}");
}

#[test]
fn letters_of_figures_and_of_names_are_in_the_font() {
    let missing = |letter: char| {
        let ink = |text: &str| {
            let mut drawing = Drawing::new(40, 40);
            drawing.text((5.0, 30.0), text, 24.0);
            drawing.png().unwrap()
        };
        ink(&letter.to_string()) == ink("\u{10ffff}")
    };
    let used = "AZaz09 …²³ωμ×≥≤√−–—ε±₁₀σΣ·⁻ₙäéñßœŁžčşЖяΩ°µ→∞≈";
    let lacking: String = used.chars().filter(|c| missing(*c)).collect();
    assert_eq!(lacking, "");
    assert!(missing('漢'));
}

#[test]
fn text_ends_where_its_anchor_says() {
    let columns = |anchor, rotation| {
        let mut drawing = Drawing::new(200, 200);
        let text = drawing.text((100.0, 100.0), "HHHH", 20.0);
        (text.anchor, text.rotation) = (anchor, rotation);
        let found = inked(&drawing, 0..200);
        (found[0] / 2, found[found.len() - 1] / 2)
    };
    let width = text_width("HHHH", 20.0) as usize;
    assert_eq!(width, 60);
    let (start, end) = columns(Anchor::Start, 0.0);
    assert!((100..104).contains(&start) && (156..161).contains(&end), "{start}, {end}");
    let (start, end) = columns(Anchor::Middle, 0.0);
    assert!((70..74).contains(&start) && (126..131).contains(&end), "{start}, {end}");
    let (start, end) = columns(Anchor::End, 0.0);
    assert!((40..44).contains(&start) && (96..101).contains(&end), "{start}, {end}");
    // Upwards it lies left of its place.
    let (start, end) = columns(Anchor::Middle, -90.0);
    assert!((84..87).contains(&start) && (98..101).contains(&end), "{start}, {end}");
}

#[test]
fn pictures_of_pixels_keep_them() {
    let pixels: Vec<[u8; 3]> = (0..35).map(|i| [i, 2 * i, 255 - i]).collect();
    assert_eq!(decoded(&encode_png(7, 5, &pixels).unwrap()), (7, 5, pixels.clone()));
    assert!(encode_png(7, 6, &pixels).is_err());
    assert!(Drawing::new(0, 10).png().is_err());
}
