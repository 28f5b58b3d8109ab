// The order of text: by the scalars of its canonical composition, which is the order of its UTF-8 bytes. Typed and
// JSON values share it, and it agrees with `==`. Swift's own `<` does not: "é" equals "e\u{301}", and only the first
// of them is `<` "é,".
//
// Most texts are compared without composing them. Texts are composed only where a scalar at their first
// difference is not plain (`Unicode.Scalar.isPlain`), from there on, after going back to where composition
// can begin.

import Foundation

/// Text that is compared in the order of text: `String`, `Substring` and `Character`.
package protocol OrderedText: Comparable, Sendable {
  var text: String { get }
}

extension String: OrderedText {
  package var text: String { self }
}

extension Substring: OrderedText {
  package var text: String { String(self) }
}

extension Character: OrderedText {
  package var text: String { String(self) }
}

extension String {
  /// Negative, zero or positive; zero exactly where both are equal.
  ///
  /// - Complexity: O(length); O(place of the first difference) where both are plain there.
  static func textOrder(_ lhs: String, _ rhs: String) -> Int {
    var (lhs, rhs) = (lhs, rhs)
    return lhs.withUTF8 { left in rhs.withUTF8 { right in order(left, right) } }
  }

  private static func order(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    let shorter = Swift.min(left.count, right.count)
    var place = 0
    // Long texts are mostly equal or soon different.
    while place + 64 <= shorter, left[place..<place + 64].hasSameBytes(as: right[place..<place + 64]) {
      place += 64
    }
    while place < shorter, left[place] == right[place] { place += 1 }
    if place == left.count, place == right.count { return 0 }
    // The bytes decide if the differing scalars are unchanged by composition.
    let bytes = place == shorter ? left.count - right.count : Int(left[place]) - Int(right[place])
    if isASCII(left, place), isASCII(right, place) { return bytes }
    while place > 0, isContinuation(left, place) || isContinuation(right, place) { place -= 1 }
    if isSettled(left, place), isSettled(right, place) { return bytes }
    // The common beginning is cut where composition can begin.
    if place > 0, !isPlain(left, place) || !isPlain(right, place) {
      repeat {
        repeat { place -= 1 } while place > 0 && isContinuation(left, place)
      } while place > 0 && !isPlain(left, place)
    }
    var (first, second) = (ComposedScalars(bytes: left, place), ComposedScalars(bytes: right, place))
    while true {
      switch (first.next(), second.next()) {
      case (nil, nil): return 0
      case (nil, _): return -1
      case (_, nil): return 1
      case (let first?, let second?): if first != second { return first < second ? -1 : 1 }
      }
    }
  }

  /// Whether the byte and the next are ASCII, or beyond the end.
  private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    (place >= bytes.count || bytes[place] < 0x80) && (place + 1 >= bytes.count || bytes[place + 1] < 0x80)
  }

  /// Whether a byte is inside a scalar.
  private static func isContinuation(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    place < bytes.count && bytes[place] & 0xC0 == 0x80
  }

  /// Whether composition leaves the scalar at a place unchanged, and nothing before it changes by it.
  private static func isSettled(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    guard place < bytes.count else { return true }
    return isPlain(bytes, place) && isPlain(bytes, place + scalar(bytes, place).length)
  }

  private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    place >= bytes.count || scalar(bytes, place).scalar.isPlain
  }

  /// The scalar at a place where one begins.
  fileprivate static func scalar(
    _ bytes: UnsafeBufferPointer<UInt8>, _ place: Int
  ) -> (scalar: Unicode.Scalar, length: Int) {
    if bytes[place] < 0x80 { return (Unicode.Scalar(bytes[place]), 1) }
    var end = place
    let value = bytes.scalar(&end)
    // The bytes of a `String` are valid.
    return (Unicode.Scalar(value) ?? "\u{FFFD}", end - place)
  }

  /// The first eight bytes of the composed text.
  ///
  /// - Complexity: O(1), unless none of its scalars is plain.
  var textAbbreviation: UInt64 {
    var text = self
    return text.withUTF8 { bytes in
      var place = 0
      while place < Swift.min(8, bytes.count), String.isPlain(bytes, place) {
        place += String.scalar(bytes, place).length
      }
      if String.isPlain(bytes, place) { return String.firstWord(bytes) }
      // Each of eight plain scalars has at least one byte when composed.
      var (plain, end) = (0, 0)
      while end < bytes.count {
        if String.isPlain(bytes, end) { plain += 1 }
        if plain > 8 { break }
        end += String.scalar(bytes, end).length
      }
      var composed = String(decoding: bytes[..<end], as: UTF8.self).composed
      return composed.withUTF8(String.firstWord)
    }
  }

  private static func firstWord(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var (result, shift): (UInt64, UInt64) = (0, 64)
    for byte in bytes.prefix(8) {
      shift -= 8
      result |= UInt64(byte) << shift
    }
    return result
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The scalar at a place where one begins, which is moved behind it, in valid UTF-8.
  @inline(__always)
  func scalar(_ place: inout Int) -> UInt32 {
    let first = UInt32(self[place])
    place += 1
    if first < 0x80 { return first }
    let length = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
    var value = first & (0x3F >> UInt32(length))
    for _ in 0..<length {
      value = value << 6 | UInt32(self[place]) & 0x3F
      place += 1
    }
    return value
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Whether the bytes of two slices of one length are the same.
  fileprivate func hasSameBytes(as other: Self) -> Bool {
    let (left, right) = (UnsafeBufferPointer(rebasing: self), UnsafeBufferPointer(rebasing: other))
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return memcmp(first, second, left.count) == 0
  }
}

/// The scalars of a text's bytes from a place on, used only while the bytes are borrowed from their text.
private struct ScalarBytes: IteratorProtocol {
  let bytes: UnsafeBufferPointer<UInt8>
  var place: Int

  mutating func next() -> Unicode.Scalar? {
    guard place < bytes.count else { return nil }
    let (scalar, length) = String.scalar(bytes, place)
    place += length
    return scalar
  }
}

extension ComposedScalars<ScalarBytes> {
  fileprivate init(bytes: UnsafeBufferPointer<UInt8>, _ place: Int) {
    self.init(ScalarBytes(bytes: bytes, place: place))
  }
}
