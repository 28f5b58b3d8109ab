import Foundation

/// An export that is evaluated and encoded in the background.
actor BackgroundExport<Element: Entity & Encodable> {
  private let results: Results<Element>
  private var export: JSONExport<Element>

  /// - Throws: the error of the query.
  init(_ results: Results<Element>, _ format: JSONFormat, _ encoder: JSONEncoder) throws {
    self.results = results
    export = try JSONExport(results, format, encoder)
  }

  var count: Int { results.count }

  /// The next chunk, or nil at the end.
  func next() throws -> Data? { try export.next() }
}
