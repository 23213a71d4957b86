//! A plot of what an object costs against how many there are.
//!
//! In: comparisons of several sizes. Out: an SVG with two panels for the road `controller` (or the first there is): processor time
//! of list and first reconcile, and memory, both per object. Both axes are logarithmic.

use std::path::Path;

use plotters::prelude::*;

use crate::BoxError;
use crate::arguments::Way;
use crate::compare::{Column, Comparison};
use crate::report::COLUMNS;
use crate::road::Road;

/// Writes the plot.
pub(crate) fn write(path: &Path, all: &[Comparison]) -> Result<(), BoxError> {
    let road = if all.iter().any(|one| one.road == Road::Controller) {
        Road::Controller
    } else {
        all.first().ok_or("nothing was measured")?.road
    };
    let way = if all.iter().any(|one| one.way == Way::Socket && one.road == road) { Way::Socket } else { Way::Process };
    let shown: Vec<&Comparison> = all.iter().filter(|one| one.road == road && one.way == way).collect();
    let area = SVGBackend::new(path, (WIDTH, HEIGHT)).into_drawing_area();
    area.fill(&WHITE)?;
    let panels = area.split_evenly((1, 2));
    let time = |one: &Comparison, column| {
        Some(one.get(column, "sync")? + one.get(column, "first-reconcile").unwrap_or_default())
    };
    let memory = |one: &Comparison, column| one.get(column, "memory").map(|bytes| bytes / 1e3);
    draw(&panels[0], &format!("{road}: sync and first reconcile, µs of CPU per object"), &shown, time)?;
    draw(&panels[1], &format!("{road}: memory, KB per object"), &shown, memory)?;
    area.present()?;
    Ok(())
}

fn draw(
    panel: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    title: &str,
    shown: &[&Comparison],
    figure: impl Fn(&Comparison, Column) -> Option<f64>,
) -> Result<(), BoxError> {
    let points = |column| -> Vec<(f64, f64)> {
        shown.iter().filter_map(|one| Some((one.count as f64, figure(one, column)?))).collect()
    };
    let all: Vec<(f64, f64)> = COLUMNS.iter().flat_map(|(column, _)| points(*column)).collect();
    let range = |of: fn(&(f64, f64)) -> f64, below: f64| {
        let (least, most) =
            all.iter().map(of).fold((f64::MAX, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        (least * below)..(most * 1.5)
    };
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 15))
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(48)
        .build_cartesian_2d(
            range(|point| point.0, 0.7).log_scale(),
            range(|point| point.1, ROOM_FOR_LABELS).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("objects")
        .light_line_style(WHITE)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .draw()?;
    for (number, (column, name)) in COLUMNS.into_iter().enumerate() {
        let line = points(column);
        if line.is_empty() {
            continue;
        }
        let colour = COLOURS[number];
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)).point_size(3))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.2))
        .draw()?;
    Ok(())
}

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 380;

/// The axis begins so far below the least value that the names of the lines fit there.
const ROOM_FOR_LABELS: f64 = 0.2;

/// One for each column; those of one library are near each other, and none needs red told from green.
const COLOURS: [RGBColor; 5] = [
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 114, 178),
    RGBColor(204, 121, 167),
    RGBColor(90, 30, 110),
];
