use super::*;

/// 2026-11-30.
const TODAY: i64 = 20_787;

const WIDE: Terminal = Terminal { width: 120, unicode: true };

fn row(ago: i64, provider: &str, model: &str) -> UsageRow {
    UsageRow { day: TODAY - ago, provider: provider.into(), model: model.into(), ..<_>::default() }
}

/// A day of so many calls, all figures by them.
fn gemini(ago: i64, calls: u64) -> UsageRow {
    UsageRow {
        calls,
        failures: calls / 20,
        by_class: [("partial".to_owned(), 2), ("rate_limited".to_owned(), calls)].into(),
        input_tokens: calls * 340,
        output_tokens: calls * 210,
        characters: calls * 910,
        cache_hits: calls * 8,
        texts: Some(calls * 24),
        cost_micros: Some(calls * 627),
        saved_micros: Some(calls * 4180),
        ..row(ago, "gemini", "gemini-3.5-flash-lite")
    }
}

/// A day of an engine whose price nobody knows, counted before texts were.
fn papago() -> UsageRow {
    UsageRow {
        calls: 2,
        characters: 700,
        cache_hits: 30,
        by_class: [("timeout".to_owned(), 1)].into(),
        ..row(3, "파파고", "")
    }
}

fn month() -> Vec<UsageRow> {
    vec![gemini(29, 1), gemini(20, 120), gemini(19, 37), papago(), gemini(2, 64), gemini(0, 5)]
}

fn shown(rows: &[UsageRow], count: u32, of: Of, terminal: Terminal) -> String {
    told(rows, &last_days(TODAY, count), of, terminal).join("\n") + "\n"
}

/// Only the plot.
fn plot(rows: &[UsageRow], count: u32, of: Of, terminal: Terminal) -> String {
    plotted(rows, &last_days(TODAY, count), of, terminal).join("\n") + "\n"
}

#[test]
fn a_month_with_gaps_is_a_table_and_a_bar_a_day() {
    let expected = "\
From 2026-11-01 to 2026-11-30 (UTC), all browsers of this machine

                              calls  failed  texts   input  output  chars        cost  cached      saved
gemini gemini-3.5-flash-lite    227      10  5,448  77,180  47,670   206k   $0.142329   1,816   $0.94886
파파고                            2       0      -       0       0    700           -      30          -
total                           229      10  5,448  77,180  47,670   207k  $0.142329+   1,846  $0.94886+

input and output are tokens; cached are the texts that came from the cache
+ means at least, since not all prices are known
The cache answered 1,816 of 7,264 texts (25 %).

Calls that were not wholly good
gemini gemini-3.5-flash-lite  rate_limited  227
                              partial        10
파파고                        timeout         1

Calls by day (UTC), at most 120
200 ┤
    │
    │
    │         ▇
100 ┤         █
    │         █                 ▅
    │         █▄                █
    │▁        ██               ▁█ ▂
  0 ┼──────────────────────────────
     11-01                    11-30
";
    assert_eq!(shown(&month(), 30, Of::Calls, WIDE), expected);
}

#[test]
fn where_it_is_narrow_names_stand_above_their_figures() {
    let expected = "\
  calls  failed  texts   input  output  chars        cost  cached      saved
gemini gemini-3.5-flash-lite
    227      10  5,448  77,180  47,670   206k   $0.142329   1,816   $0.94886
파파고
      2       0      -       0       0    700           -      30          -
total
    229      10  5,448  77,180  47,670   207k  $0.142329+   1,846  $0.94886+
";
    let narrow = Terminal { width: 80, ..WIDE };
    let all = shown(&month(), 30, Of::Calls, narrow);
    assert!(all.contains(expected), "{all}");
    assert!(all.lines().all(|line| line.width() <= 80), "{all}");
}

#[test]
fn one_day_is_a_table_without_a_total_and_one_bar() {
    let expected = "\
From 2026-11-30 to 2026-11-30 (UTC), all browsers of this machine

                              calls  failed  texts  input  output  chars       cost  cached    saved
gemini gemini-3.5-flash-lite      5       0    120  1,700   1,050  4,550  $0.003135      40  $0.0209

input and output are tokens; cached are the texts that came from the cache
The cache answered 40 of 160 texts (25 %).

Calls that were not wholly good
gemini gemini-3.5-flash-lite  rate_limited  5
                              partial       2

Cost by day (UTC), at most $0.003135
 $0.005 ┤
        │
        │▁
        │█
$0.0025 ┤█
        │█
        │█
        │█
      0 ┼─
         11-30
";
    assert_eq!(shown(&[gemini(0, 5)], 1, Of::Cost, WIDE), expected);
}

#[test]
fn a_plot_in_ascii_has_the_same_bars() {
    let expected = "\
Tokens by day (UTC), at most 66,000
  100k +
       |
       |         .
       |         #
50,000 +         #
       |         #                 :
       |         #:                #
       |.        ##                # .
     0 +------------------------------
        11-01                    11-30
";
    let narrow = Terminal { width: 40, unicode: false };
    assert_eq!(plot(&month(), 30, Of::Tokens, narrow), expected);
    assert!(expected.is_ascii());
}

#[test]
fn where_days_have_no_room_a_bar_is_the_sum_of_some() {
    let expected = "\
Texts from the cache by 13 days (UTC), at most 1,256
2,000 ┤
      │
      │                              ▁
      │                              █
1,000 ┤                              █
      │                              █
      │                             ██
      │▁                            ██
    0 ┼───────────────────────────────
       10-27                     11-30
";
    let days = [gemini(399, 1), gemini(20, 60), gemini(11, 35), gemini(0, 122)];
    let narrow = Terminal { width: 10, unicode: true };
    assert_eq!(plot(&days, 400, Of::Hits, narrow), expected);
    let sum: u64 = plot::sums(&(1..=400).collect::<Vec<_>>(), 13).iter().sum();
    assert_eq!(sum, 400 * 401 / 2, "no day is left out");
}

#[test]
fn the_largest_numbers_have_room() {
    let huge = UsageRow {
        calls: u64::MAX,
        failures: u64::MAX,
        input_tokens: u64::MAX,
        output_tokens: u64::MAX,
        characters: u64::MAX,
        cache_hits: u64::MAX,
        texts: Some(u64::MAX),
        cost_micros: Some(u64::MAX),
        saved_micros: Some(u64::MAX),
        by_class: [("empty".to_owned(), u64::MAX)].into(),
        ..row(0, "a", "m")
    };
    let rows = [huge.clone(), UsageRow { provider: "b".into(), ..huge }];
    let expected = "\
       calls  failed  texts  input  output  chars                    cost  cached                   saved
a m    18.4E   18.4E  18.4E  18.4E   18.4E  18.4E  $18,446,744,073,709.55   18.4E  $18,446,744,073,709.55
b m    18.4E   18.4E  18.4E  18.4E   18.4E  18.4E  $18,446,744,073,709.55   18.4E  $18,446,744,073,709.55
total  18.4E   18.4E  18.4E  18.4E   18.4E  18.4E  $18,446,744,073,709.55   18.4E  $18,446,744,073,709.55
";
    let all = shown(&rows, 2, Of::Tokens, WIDE);
    assert!(all.contains(expected), "{all}");
    assert!(all.ends_with(
        "
18.4E ┤ █
      │ █
      │ █
      │ █
      │ █
      │ █
      │ █
      │ █
    0 ┼──
       11-29 11-30
"
    ));
}

#[test]
fn what_costs_nothing_has_no_plot_of_its_cost() {
    let free = UsageRow { calls: 3, cost_micros: Some(0), texts: Some(0), ..row(0, "a", "") };
    let all = shown(&[free], 7, Of::Cost, WIDE);
    assert!(
        all.contains("\na      3       0      0      0       0      0  $0.00       0  $0.00\n")
    );
    assert!(all.ends_with("came from the cache\n\nCost: nothing.\n"), "{all}");
}

#[test]
fn where_nothing_was_used_that_is_said() {
    let told = shown(&[], 2, Of::Calls, WIDE);
    assert_eq!(told, "Nothing was used from 2026-11-29 to 2026-11-30 (UTC).\n");
}

#[test]
fn a_name_cannot_steer_the_terminal() {
    let all = shown(&[row(0, "a\u{1b}[2J", "m\n")], 1, Of::Calls, WIDE);
    assert!(all.contains("a\\u{1b}[2J m\\n "), "{all}");
}
