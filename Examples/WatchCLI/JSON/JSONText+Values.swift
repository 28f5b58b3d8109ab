import LiveStore

// Reading values of a compact text. What follows from N3 is not checked again.

extension JSONText {
  /// Where the value that begins at a place ends.
  func end(ofValueAt place: Int) -> Int {
    switch bytes[place] {
    case UInt8(ascii: "\""): end(ofStringAt: place)
    case UInt8(ascii: "{"), UInt8(ascii: "["): end(ofContainerAt: place)
    default: end(ofWordAt: place)
    }
  }

  /// A string ends at the first quote that is not escaped.
  @inline(__always)
  private func end(ofStringAt place: Int) -> Int {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return place }
    var index = place &+ 1
    while true {
      if index &+ 8 <= bytes.count {
        let plain = JSONWord(at: start + index).plainInString
        index &+= plain
        if plain == 8 { continue }
      }
      switch start[index] {
      case UInt8(ascii: "\""): return index &+ 1
      case UInt8(ascii: "\\"): index &+= 2
      default: index &+= 1
      }
    }
  }

  /// A container ends where as many have ended as have begun.
  private func end(ofContainerAt place: Int) -> Int {
    var (index, depth) = (place, 0)
    repeat {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = end(ofStringAt: index)
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      default: break
      }
      index &+= 1
    } while depth > 0
    return index
  }

  /// A number, true, false or null ends before a comma or bracket, or at the end of the text.
  @inline(__always)
  private func end(ofWordAt place: Int) -> Int {
    var index = place
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return index
      default: index &+= 1
      }
    }
    return index
  }
}

extension JSONValue {
  /// The value of a compact text.
  init(compact bytes: UnsafeRawBufferPointer) {
    switch bytes[0] {
    case UInt8(ascii: "\""):
      self.init(compactString: UnsafeRawBufferPointer(rebasing: bytes[1..<bytes.count - 1]))
    case UInt8(ascii: "t"): self = .bool(true)
    case UInt8(ascii: "f"): self = .bool(false)
    case UInt8(ascii: "n"): self = .null
    case UInt8(ascii: "{"), UInt8(ascii: "["): self.init(checked: bytes)
    default:
      if let integer = Self.shortInteger(bytes) {
        self = .number(JSONNumber(canonical: .integer(integer)))
      } else {
        // As for what the parser accepts.
        self = JSONNumber(validated: bytes).map(JSONValue.number) ?? .null
      }
    }
  }

  /// The value of the bytes between the quotes of a string.
  init(compactString bytes: UnsafeRawBufferPointer) {
    if bytes.contains(UInt8(ascii: "\\")) {
      self.init(checked: [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")])
    } else {
      self = .string(String(decoding: bytes, as: UTF8.self))
    }
  }

  private init(checked bytes: UnsafeRawBufferPointer) {
    // A compact text is what the parser accepts (N1, N3).
    self = (try? JSONValue(parsing: bytes)) ?? .null
  }

  private init(checked bytes: [UInt8]) {
    // As above.
    self = (try? JSONValue(parsing: bytes)) ?? .null
  }

  /// An integer of at most 18 digits; nil for other numbers.
  private static func shortInteger(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    let start = bytes[0] == UInt8(ascii: "-") ? 1 : 0
    guard bytes.count - start <= 18 else { return nil }
    var value: Int64 = 0
    for index in start..<bytes.count {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return start == 1 ? -value : value
  }
}
