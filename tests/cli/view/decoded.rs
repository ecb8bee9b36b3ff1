//! Reads a page back, as its script does.

use base64::Engine;
use std::io::Read;

/// The data of a page.
pub struct Decoded {
    pub header: serde_json::Value,
    /// Thirteen numbers, body by body, frame by frame.
    bodies: Vec<Vec<f64>>,
    /// Seventeen integers for each contact.
    contacts: Vec<[i32; 17]>,
}

fn section(html: &str, name: &str) -> Vec<u8> {
    let start = format!("<script type=\"text/plain\" id=\"run-{name}\">");
    let text = html.split_once(&start).expect(name).1.split_once("</script>").expect("an end").0;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
    let mut inflated = Vec::new();
    flate2::read::DeflateDecoder::new(&bytes[..]).read_to_end(&mut inflated).expect("deflate");
    inflated
}

/// The next column of n integers.
fn column(bytes: &mut &[u8], n: usize) -> Vec<i32> {
    let n_planes = usize::from(bytes[0]);
    let planes = &bytes[1..1 + n * n_planes];
    *bytes = &bytes[1 + n * n_planes..];
    let folded = |i: usize| (0..n_planes).map(|p| u32::from(planes[p * n + i]) << (8 * p)).sum::<u32>();
    (0..n).map(|i| (folded(i) >> 1) as i32 ^ -((folded(i) & 1) as i32)).collect()
}

/// The number of which the integer has the upper bits.
pub fn float(integer: i32, dropped: u32) -> f64 {
    let size = f64::from(f32::from_bits(integer.unsigned_abs() << dropped));
    if integer < 0 { -size } else { size }
}

impl Decoded {
    pub fn new(html: &str) -> Self {
        let header: serde_json::Value = serde_json::from_slice(&section(html, "header")).expect("a header");
        let n_frames = header["frames"]["times"].as_array().expect("times").len();
        let n_moving = header["moving"].as_u64().expect("a number") as usize;
        let quantum = header["quantum"].as_f64().expect("a number");
        let bytes = section(html, "bodies");
        let mut rest = &bytes[..];
        let bodies = (0..13)
            .map(|c| {
                let integers = column(&mut rest, n_frames * n_moving);
                let series = integers.chunks(n_frames);
                let unfolded = |chunk: &[i32]| -> Vec<f64> {
                    let (mut last, mut rise) = (0_i32, 0_i32);
                    let value = chunk.iter().map(|left| {
                        let next = left + last + if c < 7 { rise } else { 0 };
                        rise = next - last;
                        last = next;
                        match c {
                            0..3 => f64::from(next) * quantum,
                            3..7 => f64::from(next) / 4095.0,
                            _ => float(next, 15),
                        }
                    });
                    value.collect()
                };
                series.flat_map(unfolded).collect()
            })
            .collect();
        assert!(rest.is_empty(), "{} bytes too many", rest.len());
        let contacts = contacts(&header, &section(html, "contacts"));
        Self { header, bodies, contacts }
    }

    pub fn names(&self) -> Vec<String> {
        let bodies = self.header["scene"]["bodies"].as_array().expect("bodies");
        bodies.iter().map(|b| b["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// Names of the bodies that move.
    pub fn moving(&self) -> Vec<String> {
        let bodies = self.header["scene"]["bodies"].as_array().expect("bodies");
        let moving = bodies.iter().filter(|b| b["slot"].as_i64() >= Some(0));
        moving.map(|b| b["name"].as_str().expect("a name").to_owned()).collect()
    }

    pub fn sample(&self, slot: usize, frame: usize) -> Vec<f64> {
        let n_frames = self.header["frames"]["times"].as_array().expect("times").len();
        self.bodies.iter().map(|column| column[slot * n_frames + frame]).collect()
    }

    /// Contacts of a frame.
    pub fn contacts(&self, frame: usize) -> &[[i32; 17]] {
        let list = |name: &str| -> Vec<usize> {
            let values = self.header["contacts"][name].as_array().expect("a list");
            values.iter().map(|v| v.as_u64().expect("a number") as usize).collect()
        };
        let (frames, counts) = (list("frames"), list("counts"));
        let k = frames.iter().position(|f| *f == frame).expect("contacts of the frame");
        let start: usize = counts[..k].iter().sum();
        &self.contacts[start..start + counts[k]]
    }
}

fn contacts(header: &serde_json::Value, bytes: &[u8]) -> Vec<[i32; 17]> {
    let counts = header["contacts"]["counts"].as_array().expect("counts");
    let counts: Vec<usize> = counts.iter().map(|c| c.as_u64().expect("a number") as usize).collect();
    let n = counts.iter().sum();
    let mut rest = bytes;
    let columns: Vec<Vec<i32>> = (0..17).map(|_| column(&mut rest, n)).collect();
    let mut rows: Vec<[i32; 17]> = (0..n).map(|i| std::array::from_fn(|c| columns[c][i])).collect();
    let (mut at, mut before) = (0, 0..0);
    for count in counts {
        for i in at..at + count {
            if i > 0 {
                let last = rows[i - 1];
                (0..2).for_each(|c| rows[i][c] += last[c]);
            }
            // Of bodies with several contacts the same one in the order.
            let number = (at..i).filter(|j| rows[*j][..2] == rows[i][..2]).count();
            let same = before.clone().filter(|j: &usize| rows[*j][..2] == rows[i][..2]);
            let last = same.skip(number).map(|j| rows[j]).next();
            if let Some(last) = last {
                (2..17).for_each(|c| rows[i][c] += last[c]);
            }
        }
        before = at..at + count;
        at += count;
    }
    rows
}
