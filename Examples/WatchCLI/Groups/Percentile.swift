/// A percentage from 0 to 100, of which the value at its nearest rank is asked for.
package struct Percentile: Hashable, Sendable {
  /// The number as it was written.
  package let text: String
  /// The number and 100, both times a power of ten that makes them whole.
  private let number, hundred: Int128

  /// Reads a number such as `99.9`; nil for any other text.
  package init?(_ text: String) {
    let parts = text.parts(at: ".", maxSplits: 1)
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }),
      text.utf8.count <= 16, let number = Int128(parts.joined())
    else { return nil }
    let hundred = parts.dropFirst().joined().utf8.reduce(Int128(100)) { product, _ in product * 10 }
    if number > hundred { return nil }
    (self.text, self.number, self.hundred) = (text, number, hundred)
  }

  /// Whether a text is of percentages alone, so that paths must follow.
  static func isList(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ".") }
  }

  /// The index of the smallest of some ordered values whose rank is at least this part of their number: the first for 0.
  ///
  /// - Parameter count: how many values there are, at least one.
  package func index(in count: Int) -> Int {
    max(0, Int((number * Int128(count) + hundred - 1) / hundred) - 1)
  }
}
