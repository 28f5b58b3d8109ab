import Testing
import livestore_watch

@Suite struct InputGuessTests {
  @Test(arguments: [
    ("a\tb\n1\t2", "TSV, which --input tsv reads"),
    ("a,b\n1,2\n", "CSV, which --input csv reads"),
    ("time=1 level=info\n", "logfmt, which --input logfmt reads"),
    ("\u{1F}\u{0}\u{2}", "no text"),
  ])
  func `input of another kind is recognised by its beginning`(text: String, hint: String) {
    let found = InputGuess(text.utf8, readAs: .json).hint
    #expect(found?.hasPrefix("the input seems to be " + hint) ?? false, "\(found ?? "none")")
  }

  @Test(
    arguments: [
      ([0xFF, 0xFE, 0x7B, 0], "UTF-16, which --encoding utf-16 reads"), ([0xFE, 0xFF, 0, 0x7B], "UTF-16, "),
      ([0x7B, 0, 0x22, 0, 0x69, 0], "UTF-16LE, "), ([0, 0x7B, 0, 0x22, 0, 0x69], "UTF-16BE, "),
      ([0x1F, 0x8B, 8, 0], "compressed: gzip -dc"), ([0x28, 0xB5, 0x2F, 0xFD, 4], "compressed: zstd -dc"),
      ([0x7F, 0x45, 0x4C, 0x46, 2, 1], "no text"), ([0, 0, 0, 0], "no text"),
    ] as [([UInt8], String)])
  func `encodings and compression are recognised by their marks`(bytes: [UInt8], hint: String) {
    for format in InputFormat.allCases {
      let found = InputGuess(bytes, readAs: format).hint
      #expect(found?.hasPrefix("the input seems to be " + hint) ?? false, "\(format), \(found ?? "none")")
    }
  }

  @Test(arguments: [
    ("", InputFormat.json), ("hello\n", .json), ("{'id':1}\n", .json), ("[2026-01-01] started\n", .json),
    ("{\"id\":", .json),
    ("a,b\n", .csv), ("a\tb\n", .tsv), ("a=1 b=2\n", .logfmt), ("id\n1\n", .csv),
  ])
  func `there is no guess where nothing is recognised, or it was read as that`(
    text: String, format: InputFormat
  ) {
    #expect(InputGuess(text.utf8, readAs: format).hint == nil)
  }

  @Test func `rows are recognised when they were read as others`() {
    #expect(
      InputGuess("a\tb\n".utf8, readAs: .csv).hint == "the input seems to be TSV, which --input tsv reads")
    #expect(
      InputGuess("a,b\n".utf8, readAs: .tsv).hint == "the input seems to be CSV, which --input csv reads")
    let json = InputGuess(#"{"id":1}"#.utf8, readAs: .csv).hint
    #expect(json == "the input seems to be JSON, which is read without --input")
  }

  @Test func `the guess is the last line where every line is bad`() throws {
    let run = try Tool.run(["--once", "--output", "count"], input: "id,n\n1,2\n")
    #expect(run.status == 65)
    #expect(
      run.errors.split(separator: "\n").last
        == "livestore-watch: the input seems to be CSV, which --input csv reads")
    let keyless = try Tool.run(["--once", "--output", "count"], input: "{\"n\":1}\n")
    #expect(!keyless.errors.contains("seems to be"))
  }
}
