//! Pictures of the view, drawn from the cells of a real run: `cargo xtask pictures` writes them to `docs/pictures`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use tokio::time::sleep;

use super::stories::{ViewTest, settled};

/// As wide as a README shows without shrinking the letters.
const SIZE: (u16, u16) = (100, 30);
/// Of a cell, in the picture's own units.
const CELL: (f32, f32) = (8.4, 18.0);
const MARGIN: f32 = 16.0;
const BACKGROUND: &str = "#16181d";
const LETTERS: &str = "#d7dae0";
const FAINT: &str = "#7d8594";
const TROUBLE: &str = "#ff6b6b";

#[tokio::test]
#[ignore = "writes docs/pictures; run by cargo xtask pictures"]
async fn write_pictures() {
    steady().await;
    cut_watches().await;
    failing_reconciles().await;
    stuck_in_deletion().await;
}

/// Three objects, and what it took to publish them.
async fn steady() {
    let mut view = begun().await;
    save("dev", &view.look());
    view.stop().await;
}

async fn cut_watches() {
    let mut view = begun().await;
    view.press("cn").await;
    view.sees(&["! documents.example.com", "failing", "2×", "next try in"]).await;
    save("dev-cut-watches", &view.look());
    view.stop().await;
}

async fn failing_reconciles() {
    let mut view = begun().await;
    view.press("rm").await;
    view.sees(&["default/guide", "attempt 9"]).await;
    save("dev-failing-reconciles", &view.look());
    view.stop().await;
}

async fn stuck_in_deletion() {
    let mut view = begun().await;
    view.press("kd").await;
    view.sees(&["!▸default/guide", "waits for example.com/unpublish"]).await;
    sleep(Duration::from_secs(3)).await;
    save("dev-stuck-in-deletion", &view.look());
    view.stop().await;
}

async fn begun() -> ViewTest {
    let mut view = ViewTest::start(&[], SIZE).await;
    settled(&mut view).await;
    view.press("n").await;
    view.sees(&["  default/note-1", "Published  Ready"]).await;
    // Until the events of that have come, too.
    sleep(Duration::from_secs(2)).await;
    view
}

fn save(name: &str, buffer: &Buffer) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    fs::create_dir_all(&folder).expect("docs can be written");
    fs::write(folder.join(format!("{name}.svg")), svg(buffer)).expect("docs can be written");
}

/// The cells as text in a dark window.
fn svg(buffer: &Buffer) -> String {
    let (width, height) = (f32::from(buffer.area.width) * CELL.0, f32::from(buffer.area.height) * CELL.1);
    let (width, height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n\
         <title>pintle dev</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n"
    );
    for y in 0..buffer.area.height {
        for run in runs(buffer, y) {
            run.print(y, &mut svg);
        }
    }
    svg + "</svg>\n"
}

/// Neighbours of one style.
struct Run {
    x: u16,
    width: u16,
    text: String,
    look: Look,
}

#[derive(Clone, Copy, Eq, PartialEq)]
struct Look {
    ink: &'static str,
    is_bold: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let ink = match cell.fg {
            Color::Red => TROUBLE,
            _ if cell.modifier.contains(Modifier::DIM) => FAINT,
            _ => LETTERS,
        };
        Self { ink, is_bold: cell.modifier.contains(Modifier::BOLD) }
    }
}

fn runs(buffer: &Buffer, y: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for x in 0..buffer.area.width {
        let cell = &buffer[(x, y)];
        let look = Look::of(cell);
        match runs.last_mut() {
            Some(last) if last.look == look => {
                last.text.push_str(cell.symbol());
                last.width += 1;
            }
            _ => runs.push(Run { x, width: 1, text: cell.symbol().to_owned(), look }),
        }
    }
    runs
}

impl Run {
    fn print(&self, y: u16, svg: &mut String) {
        let (left, top) = (MARGIN + f32::from(self.x) * CELL.0, MARGIN + f32::from(y) * CELL.1);
        let width = f32::from(self.width) * CELL.0;
        if self.text.trim().is_empty() {
            return;
        }
        let text = self.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let Look { ink, is_bold } = self.look;
        let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
        // The length keeps the columns where they are, whatever font is found.
        writeln!(
            svg,
            "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" xml:space=\"preserve\" fill=\"{ink}\"{weight}>{text}</text>",
            top + 13.5
        )
        .expect("a string takes everything");
    }
}
