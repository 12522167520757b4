//! Reports: one self-contained page with tables and pictures, and the numbers for other programs.
//!
//! ```
//! use jamboree_lab::report::{Axis, Page, Plot, ReportTable, Series};
//! let mut page = Page::new("Speedup");
//! page.section("On average").text("Two algorithms on more and more processors.");
//! page.table(ReportTable::new(["algorithm", "4", "16"]).row(["jubilee", "3.9", "14.1"]).note("Arithmetic means."));
//! page.plot(
//!     &Plot::new("Speedup", Axis::log2("processors"), Axis::log2("times faster"))
//!         .with(Series::line("jubilee", vec![(4.0, 3.9), (16.0, 14.1)]))
//!         .with(Series::reference("ideal", vec![(4.0, 4.0), (16.0, 16.0)])),
//! );
//! let html = page.html();
//! assert!(html.contains("<svg") && html.contains("14.1"));
//! ```

mod data;
mod html;
mod number;
mod origin;
mod page;
mod plot;
mod table;
mod terms;

pub use data::{csv, json};
pub use number::{fixed, percent, short, significant, thousands};
pub use origin::Origin;
pub use page::Page;
pub use plot::{Anchor, Axis, Bars, Boxes, Picture, Plot, Scale, Series, Svg, colour};
pub use table::{Column, ReportTable};
