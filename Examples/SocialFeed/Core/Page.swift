public import LiveStore

/// A page of a query's result.
///
/// Pages of one snapshot are parts of one result: every object is on exactly one of them, whatever is written in the
/// meantime. A page of a later snapshot is a page of that snapshot's result.
public struct Page<Element: Entity>: Sendable {
  /// The objects on the page.
  public let items: [Element]
  /// Which page it is, from 1.
  public let number: Int
  /// How many objects a page has room for.
  public let size: Int
  /// How many objects there are on all pages.
  public let total: Int

  /// A page of a query's result in a snapshot; empty beyond the last page.
  public init(
    _ query: Query<Element>, in snapshot: Snapshot, number: Int, size: Int
  ) throws(SocialError) {
    guard number >= 1, size >= 1 else { throw SocialError.invalidPage(number: number, size: size) }
    let results = snapshot.fetch(query)
    let (start, isBeyond) = (number - 1).multipliedReportingOverflow(by: size)
    items = isBeyond ? [] : Array(results.dropFirst(start).prefix(size))
    self.number = number
    self.size = size
    total = results.count
  }

  /// The number of pages; at least one, even if it is empty.
  public var pageCount: Int { max(1, (total - 1) / size + 1) }
  /// Whether there is a page after this one.
  public var hasNext: Bool { number < pageCount }
}
