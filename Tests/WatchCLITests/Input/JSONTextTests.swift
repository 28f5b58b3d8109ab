import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct JSONTextTests {
  /// The compact text of a text, through a buffer of exactly its length.
  private func compact(_ bytes: [UInt8], _ compactor: JSONCompactor = JSONCompactor())
    -> Result<String, JSONSyntaxError>
  {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    return Result { () throws(JSONSyntaxError) in
      String(decoding: try compactor.compact(UnsafeRawBufferPointer(buffer)).bytes, as: UTF8.self)
    }
  }

  private func parsed(_ bytes: [UInt8]) -> Result<String, JSONSyntaxError> {
    Result { () throws(JSONSyntaxError) in try JSONValue(parsing: bytes).description }
  }

  @Test(arguments: [
    (#"{"a":1,"b":[true,null,"x"]}"#, #"{"a":1,"b":[true,null,"x"]}"#),
    (" { \"a\" : 1 ,\n\"b\" : [ 1 , 2 ] }\t", #"{"a":1,"b":[1,2]}"#),
    ("[ ]", "[]"), ("{ }", "{}"), (" 7 ", "7"),
    ("[1.50,2.0,-0,-0.0,1e3,0.00001,0.0001,19.99]", "[1.5,2,0,0,1000,1e-05,0.0001,19.99]"),
    (#"["\u0041\u00e9\/\u0022\u000a\u0001\ud83d\ude00"]"#, #"["Aé/\"\n\u0001😀"]"#),
    (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#),
    ("{\"\u{212A}\":1,\"K\":2}", "{\"\u{212A}\":2}"),
    (#"{"\u0061":1,"a":2}"#, #"{"a":2}"#),
  ])
  func `a compact text has no blanks and each value in its one form`(text: String, expected: String) {
    #expect(compact(Array(text.utf8)) == .success(expected))
    #expect(compact(Array(expected.utf8)) == .success(expected))
  }

  @Test func `a compact text is that of the parsed value, whatever byte stands where in a string`() {
    let compactor = JSONCompactor()
    for byte in 0...UInt8.max {
      for length in 1...18 {
        for place in 0..<length {
          var string = [UInt8](repeating: 0x61, count: length)
          string[place] = byte
          let text = Array("{\"k\":\"".utf8) + string + Array("\"}".utf8)
          #expect(compact(text, compactor) == parsed(text))
        }
      }
    }
  }

  @Test func `a compact text is that of the parsed value, for numbers of all lengths`() {
    let compactor = JSONCompactor()
    for whole in ["0", "7", "10", "123456", "12345678901234", "123456789012345678", "1234567890123456789"] {
      for fraction in [
        "", ".0", ".5", ".50", ".0001", ".00001", ".00010", ".123456789", ".12345678901234567",
      ] {
        for exponent in ["", "e0", "E-3", "e+5", "e400"] {
          for sign in ["", "-"] {
            let text = Array("[\(sign)\(whole)\(fraction)\(exponent)]".utf8)
            #expect(compact(text, compactor) == parsed(text))
          }
        }
      }
    }
  }

  @Test(arguments: [0, 1, 63, 64, 65, 127, 128, 129, 300])
  func `equal keys are found among any number of keys`(count: Int) {
    let members = (0..<count).map { "\"key number \($0)\":\($0)" }
    for twice in [[], ["\"key number 0\":-1"], ["\"key number \(count / 2)\":-1"]] {
      let text = Array("{\((members + twice).joined(separator: ","))}".utf8)
      #expect(compact(text) == parsed(text))
      let nested = Array("[{\"a\":{\"key number 0\":1}},".utf8) + text + Array("]".utf8)
      #expect(compact(nested) == parsed(nested))
    }
  }

  @Test func `a compactor gives the error of the parser, and then reads on`() {
    let compactor = JSONCompactor()
    for text in ["", " ", "{", "[1,]", "{\"a\":1,}", "tru", "1.e3", "01", "\"\\ud800\"", "[1] 2", "\"a"] {
      guard case .failure(let error) = compact(Array(text.utf8), compactor) else {
        Issue.record("\(text) is accepted")
        continue
      }
      #expect(parsed(Array(text.utf8)) == .failure(error))
      #expect(compact(Array("[1]".utf8), compactor) == .success("[1]"))
    }
  }

  @Test func `room for a long text is released`() {
    let compactor = JSONCompactor()
    let long = "[\"" + String(repeating: "x", count: 5 << 20) + "\"]"
    #expect(compact(Array(long.utf8), compactor) == .success(long))
    #expect(compactor.room > 5 << 20)
    #expect(compact(Array("[1]".utf8), compactor) == .success("[1]"))
    #expect(compactor.room < 1 << 20)
  }

  @Test func `values are found at paths through objects and arrays`() throws {
    let value: JSONValue = [
      "a": [["b": 1], ["b": "x\"y"]], "é": ["c": nil], "q\"": true, "n": -1.5, "K": 3, "": 4, "l\u{212A}": 5,
    ]
    let text = Array(value.description.utf8)
    try text.withUnsafeBytes { bytes in
      let text = JSONText(bytes)
      #expect(text.value(at: []) == value)
      #expect(text.value(at: ["a", "0", "b"]) == 1)
      #expect(text.value(at: ["a", "1", "b"]) == "x\"y")
      #expect(text.value(at: ["e\u{301}", "c"]) == JSONValue.null, "canonical equivalence, as in strings")
      #expect(text.value(at: ["\u{212A}"]) == 3)
      #expect(text.value(at: ["lK"]) == 5)
      #expect(text.value(at: ["q\""]) == true)
      #expect(text.value(at: ["n"]) == -1.5)
      #expect(text.value(at: [""]) == 4)
      for path in [["b"], ["a", "2"], ["a", "01"], ["a", "b"], ["n", "x"], ["é", "c", "d"], ["q"]] {
        #expect(text.value(at: path) == nil)
      }
      let range = try #require(text.range(at: ["a", "1"]))
      #expect(String(decoding: bytes[range], as: UTF8.self) == #"{"b":"x\"y"}"#)
    }
  }

  @Test func `compact texts are equal exactly if their values are`() {
    let values: [JSONValue] = [
      [:], ["a": 1], ["a": 2], ["a": 1, "b": 2], ["b": 2, "a": 1], ["a": ["x": 1, "y": 2], "b": 2],
      ["a": ["y": 2, "x": 1], "b": 2], ["a": "é"], ["a": "e\u{301}"], ["é": 1], ["e\u{301}": 1],
      ["a": [1, 2]], ["a": [2, 1]], ["a": 12], ["a": [:]], ["a": [:], "b": 2], [], [[:]], "a", 1,
    ]
    for left in values {
      for right in values {
        let (a, b) = (Array(left.description.utf8), Array(right.description.utf8))
        let areEqual = a.withUnsafeBytes { a in
          b.withUnsafeBytes { b in JSONText.areEqual(JSONText(a), JSONText(b)) }
        }
        #expect(areEqual == (left == right), "\(left) and \(right)")
      }
    }
  }

  /// Bug: the bytes of a value were compared, and its end was looked for, at each level that it is in.
  @Test
  func `texts that differ in the last member of the innermost object are read once, at whatever level it is`()
  {
    func seconds(_ levels: Int) -> Double {
      func text(_ last: Int) -> [UInt8] {
        let text = String(repeating: "x", count: 100_000)
        return Array(
          (String(repeating: #"{"n":"#, count: levels) + #"{"text":"\#(text)","last":\#(last)}"#
            + String(repeating: "}", count: levels)).utf8)
      }
      return timeToCompare(text(1), text(2), areEqual: false)
    }
    let (one, many) = (seconds(1), seconds(400))
    #expect(many < one * 40, "\(one) s, then \(many) s")
  }

  private func timeToCompare(_ left: [UInt8], _ right: [UInt8], areEqual: Bool) -> Double {
    processorTime {
      let answer = left.withUnsafeBytes { left in
        right.withUnsafeBytes { JSONText.areEqual(JSONText(left), JSONText($0)) }
      }
      #expect(answer == areEqual)
    }
  }

  /// Bug: where keys stand in another order behind an equal member, the values of each level were made again.
  @Test func `texts whose keys stand in another order are compared once, at whatever level they differ`() {
    func seconds(_ levels: Int) -> Double {
      func text(_ end: String) -> [UInt8] {
        let numbers = (0..<5_000).map(String.init).joined(separator: ",")
        return Array(
          (String(repeating: #"{"n":"#, count: levels) + "[\(numbers)]"
            + String(repeating: end, count: levels)).utf8)
      }
      return timeToCompare(text(#","a":1,"b":2}"#), text(#","b":2,"a":1}"#), areEqual: true)
    }
    let (one, many) = (seconds(1), seconds(200))
    #expect(many < one * 40, "\(one) s, then \(many) s")
  }
}
