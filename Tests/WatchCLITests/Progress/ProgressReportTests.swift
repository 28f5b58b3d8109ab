import Testing
import livestore_watch

/// What progress is shown as.
@Suite struct ProgressReportTests {
  private func report(total: Int?, lines: Int, bytes: Int, seconds: Double) -> ProgressReport {
    var report = ProgressReport(total: total)
    (report.lines, report.bytes, report.time) = (lines, bytes, .seconds(seconds))
    return report
  }

  @Test func `a line has what fits: the bar goes first, then amounts, rates and the time`() {
    let report = report(total: 200_000_000, lines: 450_000, bytes: 90_000_000, seconds: 2)
    let text = "450k lines  90.0 MB  225k lines/s  45.0 MB/s  0:03 left"
    #expect(report.line(columns: 200) == " 45% [=============>                ]  \(text)")
    #expect(report.line(columns: 79) == " 45% [======>        ]  \(text)")
    #expect(report.line(columns: 74) == " 45% [====>     ]  \(text)")
    #expect(report.line(columns: 73) == "45%  \(text)")
    #expect(report.line(columns: 60) == "45%  \(text)")
    #expect(report.line(columns: 59) == "45%  225k lines/s  45.0 MB/s  0:03 left")
    #expect(report.line(columns: 38) == "45%  0:03 left")
    #expect(report.line(columns: 13) == "45%")
    #expect(report.line(columns: 2) == "")
    for columns in 0...120 { #expect(report.line(columns: columns).count <= columns) }
    #expect(report.text == "45%, 450k lines, 90.0 MB, 225k lines/s, 45.0 MB/s, 0:03 left")
  }

  @Test func `bad lines are shown if there are any, as long as there is room for them`() {
    var report = report(total: 200, lines: 20, bytes: 100, seconds: 2)
    #expect(!report.text.contains("bad"))
    report.badLines = 1_234
    #expect(report.text == "50%, 20 lines, 100 B, 1.23k bad, 10 lines/s, 50 B/s, 0:02 left")
    #expect(report.line(columns: 61) == "50%  1.23k bad  10 lines/s  50 B/s  0:02 left")
    #expect(report.line(columns: 44) == "50%  1.23k bad  0:02 left")
    #expect(report.line(columns: 24) == "50%  0:02 left")
    #expect(report.shortText == "50%, 10 lines/s, 0:02 left", "a live table counts them itself")
  }

  @Test func `without a size there are amounts and no percentage`() {
    let report = report(total: nil, lines: 1, bytes: 999, seconds: 61)
    #expect(report.line(columns: 79) == "1 line  999 B  0 lines/s  16 B/s  in 1:01")
    #expect(report.line(columns: 20) == "in 1:01")
    #expect(report.line(columns: 3) == "")
    #expect(ProgressReport(total: 0).fraction == nil, "files of /proc say that they are empty")
  }

  @Test(arguments: [
    (0, "0:01 left"), (1, "0:02 left"), (59, "1:00 left"), (3_661, "1:01:02 left"),
    (359_998, "99:59:59 left"),
    (400_000, "in 0:01"),
  ])
  func `the time left follows from the rate so far`(seconds: Int, text: String) {
    // In one second one part of all has been read.
    let report = report(total: (seconds + 2) * 10, lines: 1, bytes: 10, seconds: 1)
    #expect(report.line(columns: 79).hasSuffix("  \(text)"))
  }

  @Test func `a file that has grown is read to a hundred percent, and what is over has no time left`() {
    var report = report(total: 100, lines: 3, bytes: 300, seconds: 1)
    #expect(report.text == "100%, 3 lines, 300 B, 3 lines/s, 300 B/s, in 0:01")
    report.bytes = 40
    report.isOver = true
    #expect(report.text == "40%, 3 lines, 40 B, 3 lines/s, 40 B/s, in 0:01")
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1.00k"), (1_004, "1.00k"), (9_994, "9.99k"), (9_996, "10.0k"),
    (99_949, "99.9k"), (99_960, "100k"), (999_499, "999k"), (999_500, "1.00M"), (12_345_678, "12.3M"),
    (5_000_000_000_000, "5.00T"), (.max, "9223372T"),
  ])
  func `amounts have three digits`(number: Int, text: String) {
    let report = report(total: nil, lines: number, bytes: 0, seconds: 0)
    #expect(report.text == "\(text) lines, 0 B, in 0:00")
  }
}
