//! Triangles from the text of .obj files: vertices, faces, and the objects and groups that they are in. All
//! else (normals, textures, materials, lines, points, curves) says nothing about a solid.

use super::triangles::Triangles;
use nalgebra::Vector3;
use std::collections::HashMap;

/// Name of faces that stand before any object or group.
const UNNAMED: &str = "unnamed_object";
/// Longest line that is quoted in a message.
const LONGEST_LINE: usize = 60;

/// The objects and groups of a file with their names, in their order.
pub fn read(bytes: &[u8]) -> Result<Vec<(String, Triangles)>, String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut points: Vec<Vector3<f64>> = Vec::new();
    let mut objects: Vec<(String, Vec<[usize; 3]>)> = vec![(UNNAMED.to_owned(), Vec::new())];
    for (number, line) in lines(text) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let fault = |what: &str| {
            let quoted: String = line.trim().chars().take(LONGEST_LINE).collect();
            format!("is not a mesh in Wavefront .obj format: line {number}: {what}: {quoted:?}")
        };
        match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("v") => {
                // A weight or a colour may follow.
                let numbers: Vec<f64> = words.take(3).map_while(|word| word.parse().ok()).collect();
                let [x, y, z] = numbers[..] else { return Err(fault("a vertex has three numbers")) };
                points.push(Vector3::new(x, y, z));
            }
            Some("f") => {
                let corners: Option<Vec<usize>> = words.map(|word| index(word, points.len())).collect();
                let corners = corners.ok_or_else(|| {
                    fault(&format!(
                        "the corners of a face are numbers of vertices, here 1 to {}",
                        points.len()
                    ))
                })?;
                let fan = (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]);
                if let Some((_, triangles)) = objects.last_mut() {
                    triangles.extend(fan);
                }
            }
            Some("o" | "g") => {
                let name = words.collect::<Vec<_>>().join(" ");
                objects.push((if name.is_empty() { UNNAMED.to_owned() } else { name }, Vec::new()));
            }
            _ => {}
        }
    }
    let used = objects.into_iter().filter(|(_, triangles)| !triangles.is_empty());
    Ok(used.map(|(name, triangles)| (name, of_used(&points, &triangles))).collect())
}

/// Lines with their numbers, from 1; a line that ends with `\` goes on with the next.
fn lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut rest = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (number, line) = rest.next()?;
        let mut whole = line.to_owned();
        while whole.trim_end().ends_with('\\') {
            whole.truncate(whole.trim_end().len() - 1);
            let Some((_, more)) = rest.next() else { break };
            whole += " ";
            whole += more;
        }
        Some((number + 1, whole))
    })
}

/// The vertex of a corner such as `7`, `-1` (the last so far) or `7/1/2`, from 0.
fn index(word: &str, n_points: usize) -> Option<usize> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let from_zero = if number < 0 { i64::try_from(n_points).ok()? + number } else { number - 1 };
    usize::try_from(from_zero).ok().filter(|index| *index < n_points)
}

/// Triangles with the points that they use.
fn of_used(points: &[Vector3<f64>], triangles: &[[usize; 3]]) -> Triangles {
    let mut mesh = Triangles::default();
    let mut place = HashMap::new();
    for t in triangles {
        let corners = t.map(|v| {
            *place.entry(v).or_insert_with(|| {
                mesh.points.push(points[v]);
                mesh.points.len() - 1
            })
        });
        mesh.triangles.push(corners);
    }
    mesh
}
