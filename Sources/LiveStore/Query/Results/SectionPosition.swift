/// A position in a result with sections.
public struct SectionPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The section's index.
  public var section: Int
  /// The row's index in its section.
  public var row: Int

  /// A position by its indices.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// By section, then by row.
  public static func < (lhs: SectionPosition, rhs: SectionPosition) -> Bool {
    (lhs.section, lhs.row) < (rhs.section, rhs.row)
  }

  /// Both indices.
  public var description: String { "(\(section), \(row))" }
}
