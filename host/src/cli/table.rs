//! Rows as lines whose columns stand below each other.

use unicode_width::UnicodeWidthStr;

/// Returns a line for each row: columns begin below each other, the last `right`
/// ones end so. Widths are those of a terminal, where a Han sign takes
/// two places.
pub fn table(rows: &[Vec<String>], right: usize) -> Vec<String> {
    let wide = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max()
    };
    let widths: Vec<usize> = (0..).map_while(wide).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let gap = " ".repeat(width - cell.width());
            if column + right < row.len() { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_whatever_their_letters() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows =
            [row(["제미니", "m", "1"]), row(["e\u{301}", "모델", "1,000"]), row(["", "", ""])];
        assert_eq!(table(&rows, 1), ["제미니  m         1", "e\u{301}       모델  1,000", ""]);
        assert_eq!(table(&rows[..1], 0), ["제미니  m  1"]);
        assert!(table(&[], 1).is_empty());
    }
}
