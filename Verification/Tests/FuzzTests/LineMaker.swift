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
    case 0:
      return Array(
        random.pick([
          "", " ", "\t \t", "\r", " \r", "\u{FEFF}", "\0", "[", "]", "{", "}", ",", "\u{1E}", "\"",
        ]).utf8)
    case 2 where random.chance(1, in: 2):
      let objects = (0..<random.int(1...3)).map {
        maker.object(depth: 1, keys: 0...1, with: [Array("\"id\":\($0)".utf8)])
      }
      let list = random.pick(["[", "{\"kind\":\"List\",\"items\":[", "", "[\n", "{\"items\":[\n"])
      let end =
        list.hasPrefix("{\"i")
        ? "],\"kind\":\"XList\"}" : list.hasPrefix("{") ? "]}" : list.hasPrefix("[") ? "]" : ""
      return Array(list.utf8) + objects.joined(separator: Array(random.pick([",", ",\n", " ", "\n"]).utf8))
        + Array(end.utf8)
    case 3 where random.chance(1, in: 4):
      let object = maker.object(depth: 2, keys: 0...3, with: [Array("\"id\":\(random.pick(Self.ids))".utf8)])
      return random.chance(1, in: 2)
        ? Array(object.dropLast(random.int(0...3))) : object + [0x0A] + object.prefix(random.int(0...9))
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

/// The documents of a text, found without the tool's reader: all bytes at hand, value by value.
///
/// A value ends where its brackets and quotation marks do. If it is none, or a string does not end in its line, the line where it
/// begins is bad, and reading goes on at the next. An array at the top is its elements; an object that has nothing but a version,
/// a kind that ends in `List`, items and metadata is its items.
struct PlainReading: Equatable {
  var documents: [Document] = []
  /// As the tool reports them of a file `-`.
  var badLines: [String] = []
  var lineCount = 0

  init(_ bytes: [UInt8], key: KeyPathText) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      Self.withoutHalves(line.last == 0x0D ? Array(line.dropLast()) : Array(line))
    }
    // Where a line begins.
    var starts = [0]
    for line in lines { starts.append(starts[starts.count - 1] + line.count + 1) }
    let all = Array(lines.joined(separator: [0x0A])) + [0x0A]
    func line(_ place: Int) -> Int { starts.lastIndex { $0 <= place } ?? 0 }
    func bad(_ line: Int, _ reason: String) {
      lineCount += 1
      badLines.append("-:\(line + 1): \(reason)")
    }
    func skip(from place: Int, _ error: JSONSyntaxError?) -> Int {
      let number = line(place)
      let end = starts[number + 1] - 1
      let own =
        if case .failure(let error) = JSONLaw.read(Array(all[place..<end])) { error as JSONSyntaxError? } else
        { error }
      bad(number, own?.description ?? "no reason")
      return end + 1
    }
    var (place, array) = (0, nil as Int?)
    while place < all.count {
      let byte = all[place]
      if [0x20, 0x09, 0x0A, 0x0D, 0x1E].contains(byte) {
        place += 1
      } else if array != nil, byte == UInt8(ascii: ",") {
        place += 1
      } else if array != nil, byte == UInt8(ascii: "]") {
        (place, array) = (place + 1, nil)
      } else if let begin = array, byte == UInt8(ascii: "["), begin < line(place) {
        // An array that was cut off is followed by another.
        bad(begin, "the array has no closing ], or has arrays, which are no objects")
        array = nil
      } else if array == nil, byte == UInt8(ascii: "[") {
        (place, array) = (place + 1, line(place))
      } else {
        let begin = line(place)
        guard let end = Self.end(of: place, in: all) else {
          if array == begin { array = nil }
          place = skip(from: place, nil)
          continue
        }
        switch JSONLaw.read(Array(all[place..<end])) {
        case .failure(let error):
          if array == begin { array = nil }
          place = skip(from: place, error)
        case .success(let value):
          for body in Self.items(value) ?? [value] {
            if case .object = body, !body[path: key.steps].isNull {
              documents.append(Document(id: body[path: key.steps], body: body))
              lineCount += 1
            } else if case .object = body {
              bad(begin, "the key \(key) is missing or null")
            } else {
              bad(begin, "expected an object, found \(Self.kind(body))")
            }
          }
          place = end
        }
      }
    }
    if let array { bad(array, "the array has no closing ]") }
  }

  /// Where the value ends that begins at a place; nil if it does not, or a string in it has a newline.
  private static func end(of start: Int, in bytes: [UInt8]) -> Int? {
    var (open, index) = ([] as [UInt8], start)
    let isBracket = "{[\"".utf8.contains(bytes[start])
    if !isBracket {
      return bytes[(start + 1)...].firstIndex { " \t\n\r\u{1E}{[\",]}".utf8.contains($0) }
    }
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
          if bytes[index] == 0x0A { return nil }
          index +=
            bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count && bytes[index + 1] != 0x0A ? 2 : 1
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(bytes[index])
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open.removeLast()
      default: break
      }
      index += 1
      if open.isEmpty { return index }
    }
    return nil
  }

  /// The items of a list of Kubernetes.
  private static func items(_ value: JSONValue) -> [JSONValue]? {
    guard case .object(let object) = value, case .array(let items)? = object["items"],
      case .string(let kind)? = object["kind"], kind.hasSuffix("List"),
      object.allSatisfy({ ["apiVersion", "kind", "items", "metadata"].contains($0.key) })
    else { return nil }
    return items
  }

  /// A line with U+FFFD in the place of halves of surrogate pairs that stand alone.
  private static func withoutHalves(_ line: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    func half(_ place: Int) -> UInt32? {
      guard place + 6 <= line.count, line[place] == 0x5C, line[place + 1] == UInt8(ascii: "u") else {
        return nil
      }
      let digits = line[place + 2..<place + 6]
      guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
      let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
      return code.flatMap { 0xD800...0xDFFF ~= $0 ? $0 : nil }
    }
    while index < line.count {
      if let code = half(index) {
        if code < 0xDC00, let low = half(index + 6), low >= 0xDC00 {
          result += line[index..<index + 12]
          index += 12
        } else {
          result += "\\uFFFD".utf8
          index += 6
        }
      } else {
        let count = line[index] == 0x5C && index + 1 < line.count ? 2 : 1
        result += line[index..<index + count]
        index += count
      }
    }
    return result
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
