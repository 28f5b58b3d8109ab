import LiveStore
import TestSupport
import livestore_watch

/// Makes the bytes of an input: lines of JSON objects, with what goes wrong in such inputs.
struct LineMaker {
  var random: SplitMix64

  mutating func input() -> [UInt8] {
    var bytes: [UInt8] = random.chance(1, in: 10) ? [0xEF, 0xBB, 0xBF] : []
    let count = random.int(0...12)
    for number in 0..<count {
      bytes += line()
      if number < count - 1 || random.chance(1, in: 2) { bytes += ending() }
    }
    if random.chance(1, in: 10) {
      var maker = JSONMaker(random: random.fork())
      maker.mutate(&bytes)
    }
    return bytes
  }

  private mutating func line() -> [UInt8] {
    var maker = JSONMaker(random: random.fork())
    switch random.int(0...9) {
    case 0: return Array(random.pick(["", " ", "\t \t", "\r", " \r", "\u{FEFF}", "\0"]).utf8)
    case 1: return maker.text()
    default:
      let id = Array("\"id\":\(random.pick(Self.ids))".utf8)
      return maker.object(depth: 2, keys: 0...3, with: random.chance(1, in: 20) ? [] : [id])
    }
  }

  private mutating func ending() -> [UInt8] {
    Array(random.pick(["\n", "\n", "\n", "\r\n", "\n\n", "\n\r\n", "\r"]).utf8)
  }

  private static let ids = [
    "1", "1.0", "10e-1", "2", "3", "\"1\"", "\"é\"", "\"e\\u0301\"", "null", "true", "[1]", "{\"a\":1}",
    "1e999", "18446744073709551616",
  ]
}

/// The documents of lines, found without the tool's reader: all bytes at hand, line by line.
struct PlainReading: Equatable {
  var documents: [Document] = []
  /// As the tool reports them of a file `-`.
  var badLines: [String] = []
  var lineCount = 0

  init(_ bytes: [UInt8], key: KeyPathText) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for (index, line) in lines.enumerated() {
      var line = line
      if index == 0 && line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
      if line.last == 0x0D { line.removeLast() }
      if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
      lineCount += 1
      func bad(_ reason: String) { badLines.append("-:\(index + 1): \(reason)") }
      switch JSONLaw.read(line) {
      case .failure(let error): bad(error.description)
      case .success(let body):
        guard case .object = body else {
          bad("expected an object, found \(Self.kind(body))")
          continue
        }
        let id = body[path: key.steps]
        if id.isNull {
          bad("the key \(key) is missing or null")
        } else {
          documents.append(Document(id: id, body: body))
        }
      }
    }
  }

  private static func kind(_ value: JSONValue) -> String {
    switch value {
    case .null, .bool: value.description
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
