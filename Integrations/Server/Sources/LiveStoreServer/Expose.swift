import Foundation
import Hummingbird
public import LiveStore

/// What clients may see of an entity: which fields, and of which rows.
///
/// ```swift
/// let server = try StoreServer(store) {
///   Expose(Post.self, fields: [\.title, \.likeCount, \.author.name])
///   Expose(User.self, fields: [\.name]) { request in User.where { $0.isHidden == false } }
/// }
/// ```
/// Clients may also name these fields in filters and sorts, and no others; the id of a row is always seen. A path through a link
/// shows the value behind it, and the row is sent again when that changes.
public struct Expose<Identity: Sendable>: Sendable {
  let name: String
  /// Makes what answers requests.
  ///
  /// Throws the error of a field without a JSON form.
  let entity: @Sendable (Store) throws(StoreError) -> ExposedEntity<Identity>

  /// Fields of an entity's rows.
  ///
  /// - Parameters:
  ///   - type: the entity.
  ///   - fields: the fields, as key paths of a row.
  ///   - rows: the rows that a client may see; all by default. It is asked for each request. A query that no text can say (see
  ///     `Query.format`), such as one with a closure, is another one for each request: clients do not share it, and each begins with a snapshot.
  public init<Element: Entity>(
    _ type: Element.Type, fields: RowPaths<Element>,
    rows: @escaping @Sendable (StreamRequest<Identity>) throws -> Query<Element> = { _ in Element.all }
  ) {
    self.init(rows) { () throws(StoreError) in
      let fields = try JSONFields<Element>(fields)
      return (fields, fields.names)
    }
  }

  /// Whole objects of an entity, as their `encode(to:)` writes them, with all that this shows: what a follower decodes again.
  ///
  /// ```swift
  /// let server = try StoreServer(store) { Expose(Post.self) }
  /// ```
  /// Clients may name no property in filters and sorts, as `encode(to:)` may hide some, but for the id and those that are listed as
  /// `filtering`. Dates are texts as in RFC 3339, and numbers that are not
  /// finite `"NaN"`, `"Infinity"` and `"-Infinity"`; links are the ids to which they lead.
  /// - Parameters:
  ///   - type: the entity.
  ///   - fields: the fields that clients may name in filters and sorts.
  ///   - rows: the rows that a client may see; all by default. See ``init(_:fields:rows:)``.
  public init<Element: Entity & Encodable>(
    _ type: Element.Type, filtering fields: RowPaths<Element> = [],
    rows: @escaping @Sendable (StreamRequest<Identity>) throws -> Query<Element> = { _ in Element.all }
  ) {
    self.init(rows) { () throws(StoreError) in (try .objects(), try JSONFields<Element>(fields).names) }
  }

  private init<Element: Entity>(
    _ rows: @escaping @Sendable (StreamRequest<Identity>) throws -> Query<Element>,
    _ fields: @escaping @Sendable () throws(StoreError) -> (shown: JSONFields<Element>, named: [String])
  ) {
    name = "\(Element.self)"
    entity = { store throws(StoreError) in
      let (shown, named) = try fields()
      let writer = MessageWriter(shown)
      if let error = store.fetch(Element.all.limit(0)).error { throw error }
      return ExposedEntity { request, parameters, limits in
        let visible: Query<Element>
        do {
          visible = try rows(request)
        } catch is StoreError {
          // Its sentence is the app's own, and not about the client's filter.
          throw ServerError(.internalServerError, "internal", "The request cannot be answered.")
        }
        return try EntityPart(writer, visible, parameters, limits, naming: named)
      }
    }
  }
}

/// What makes an exposed entity part of a stream.
struct ExposedEntity<Identity: Sendable>: Sendable {
  /// Makes the part that a client asks for.
  let part: @Sendable (StreamRequest<Identity>, StreamParameters, StreamLimits) throws -> any StreamPart
}

/// Lists what a server exposes.
@resultBuilder
public enum ExposureBuilder<Identity: Sendable> {
  /// One entity.
  public static func buildExpression(_ exposure: Expose<Identity>) -> [Expose<Identity>] { [exposure] }
  /// Several.
  public static func buildBlock(_ exposures: [Expose<Identity>]...) -> [Expose<Identity>] {
    exposures.flatMap { $0 }
  }
  /// Those of a condition that is met.
  public static func buildOptional(_ exposures: [Expose<Identity>]?) -> [Expose<Identity>] { exposures ?? [] }
  /// Those of the first of two cases.
  public static func buildEither(first exposures: [Expose<Identity>]) -> [Expose<Identity>] { exposures }
  /// Those of the second of two cases.
  public static func buildEither(second exposures: [Expose<Identity>]) -> [Expose<Identity>] { exposures }
}

extension EntityPart {
  /// The query of a client.
  ///
  /// - Parameters:
  ///   - rows: the rows that it may see.
  ///   - named: the fields that its filter and its order may name; nil for all that there are.
  /// - Throws: an error that names the parameter at fault.
  init(
    _ writer: MessageWriter<Element>, _ rows: Query<Element>, _ parameters: StreamParameters,
    _ limits: StreamLimits, naming named: [String]?
  ) throws(ServerError) {
    let names = named ?? writer.fields.names
    var filterLimits = FilterLimits.ofClients(paths: Set(names + ["id"]))
    filterLimits.maximumVisits = limits.visits
    if named == nil { filterLimits.paths = nil }
    var query = rows
    if let filter = parameters.filter {
      do throws(StoreError) {
        query = try query.where(format: filter, limits: filterLimits)
      } catch {
        throw ServerError(filter: error, parameter: "where")
      }
    }
    var steps = ""
    if !parameters.sort.isEmpty {
      for (field, _) in parameters.sort where field != "id" && !names.contains(field) {
        throw ServerError(.badRequest, "invalidSort", "There is no field of this name.", parameter: "sort")
      }
      steps += " SORT("
      steps += parameters.sort.map { $0.field + ($0.isDescending ? " DESC" : " ASC") }.joined(separator: ", ")
      steps += ")"
    }
    if let limit = [parameters.limit, limits.rows].compactMap({ $0 }).min() { steps += " LIMIT(\(limit))" }
    if !steps.isEmpty {
      do throws(StoreError) {
        query = try query.applying(format: "TRUEPREDICATE" + steps, limits: filterLimits)
      } catch {
        throw ServerError(.badRequest, "invalidSort", "A field of this type has no order.", parameter: "sort")
      }
    }
    self.init(
      query: query.tracking(writer.fields.paths), writer: writer,
      names: [writer.name, "\(writer.fields.paths.count)"] + writer.fields.names + writer.types
        + parameters.texts
        + [rows.format ?? UUID().uuidString, limits.rows.map(String.init) ?? ""])
  }
}

/// A hash of texts that is the same in each process.
func fingerprint(_ texts: [String]) -> UInt64 {
  // Fowler, Noll and Vo's function, whose parameters are these.
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for text in texts {
    for byte in Array(text.utf8) + [0xFF] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }
  return hash
}
