import LiveStore
import Testing
import livestore_sqlite

@Suite struct `Texts of livestore-sqlite` {
  @Test(
    arguments: [
      ("likeCuont", "likeCount"), ("TITLE", "title"), ("titel", "title"), ("x", nil), ("ratings", "rating"),
      ("somethingelse", nil),
    ] as [(String, String?)])
  func `a name that is not there suggests the nearest one`(name: String, nearest: String?) {
    #expect(NearestWord.find(name, among: ["id", "title", "likeCount", "rating"]) == nearest)
  }

  @Test func `a text is cut or filled to the columns of a terminal`() {
    #expect("Tea".fitted(to: 5) == "Tea  ")
    #expect("Tea".fitted(to: 5, isRight: true) == "  Tea")
    #expect("Teapot".fitted(to: 4) == "Tea…")
    #expect("早餐茶".fitted(to: 4) == "早… ")
    #expect("e\u{301}té".displayWidth == 3)
    #expect("👩‍👩‍👧".displayWidth == 2)
  }

  @Test func `what could steer a terminal is escaped`() {
    #expect("a\u{1B}[31m\u{202E}b\n".escapingInvisibles == "a\\u001b[31m\\u202eb\\u000a")
    #expect("é 早 👩‍👩‍👧".escapingInvisibles == "é 早 👩‍👩‍👧")
  }

  @Test func `values with commas, quotes and newlines are quoted`() {
    let values: [JSONValue?] = ["a,b", "say \"x\"", "two\nlines", "", nil, 1.5, [1, 2]]
    #expect(SeparatedValues.row([nil]) == "\"\"" && SeparatedValues.row([nil, nil]) == ",")
    #expect(SeparatedValues.row(values) == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"\",,1.5,\"[1,2]\"")
  }

  /// Bug: with a limit of n, each 4,096 rows were sorted together with the n that were kept, however large n was.
  @Test func `rows that are sorted are evaluated as many together as are kept`() throws {
    for (arguments, size) in [
      (["--sort", "title", "--limit", "100000"], 100_000), (["--sort", "title", "--limit", "10"], 4_096),
      (["--sort", "title"], 4_096), (["--limit", "10"], 10),
      (["--where", "title == 'x'", "--limit", "10"], 4_096),
    ] {
      #expect(try QueryOptions(parsing: arguments).query(["title"]).batchSize == size, "\(arguments)")
    }
  }

  @Test func `a key is text in hexadecimal or base 64 of 16 to 1,024 bytes`() {
    #expect(KeyText.bytes(of: String(repeating: "0f", count: 16)) == Array(repeating: 15, count: 16))
    #expect(KeyText.bytes(of: " " + String(repeating: "FF", count: 1_024) + "\n")?.count == 1_024)
    #expect(KeyText.bytes(of: "AAAAAAAAAAAAAAAAAAAAAA==") == Array(repeating: 0, count: 16))
    for text in [
      "", "00", String(repeating: "00", count: 1_025), "not a key", "!!" + String(repeating: "0", count: 30),
    ] {
      #expect(KeyText.bytes(of: text) == nil, "\(text)")
    }
  }
}
