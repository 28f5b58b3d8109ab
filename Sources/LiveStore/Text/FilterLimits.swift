/// The limits of filters and queries from outside: length, depth, paths, and how much they may read.
///
/// ```swift
/// let limits = FilterLimits.ofClients(paths: ["title", "likeCount", "author.name", "tags.name"])
/// let posts = store.fetch(try Post.where(format: text, limits: limits))
/// if let error = posts.error { … }         // filterTooExpensive: it would visit too many rows
/// ```
/// The text is checked when it is read. The rows that an evaluation visits are counted while it runs: in a
/// fetch, and each time that a live query is evaluated or brought up to date; its last event is then the
/// error. See <doc:FiltersFromClients>.
public struct FilterLimits: Hashable, Sendable {
  /// How many bytes of UTF-8 the text may have; nil for ten million.
  public var maximumLength: Int?
  /// How many names a path may have, with those of the variables that it begins with; nil for 200.
  public var maximumSteps: Int?
  /// How deep parentheses, `NOT`, subqueries and operations may be nested; nil for 64, and 200 operations.
  public var maximumDepth: Int?
  /// The paths that may be named: `author.name`, `address.city`, `id`, `meta.open` for `meta['open']`; nil for all.
  ///
  /// A path is allowed if it is in the set, not if a shorter one is. `SELF` stands for the row itself, which
  /// also allows `SELF TEXT`, a search in all searchable properties; `tags.SELF` allows it for `$t` in a
  /// subquery over `tags`. A point, an asterisk or a backslash in a name has a backslash before it.
  public var paths: Set<String>?
  /// How many rows an evaluation may visit, in 20 µs of processor time for each, or a fifth of a second; nil for any number.
  /// See ``Query/visiting(atMost:)``.
  public var maximumVisits: Int?

  /// Limits; none but those given.
  ///
  /// - Parameters:
  ///   - maximumLength: how many bytes the text may have.
  ///   - maximumSteps: how many names a path may have.
  ///   - maximumDepth: how deep the text may be nested.
  ///   - paths: the paths that may be named.
  ///   - maximumVisits: how many rows an evaluation may visit.
  public init(
    maximumLength: Int? = nil, maximumSteps: Int? = nil, maximumDepth: Int? = nil, paths: Set<String>? = nil,
    maximumVisits: Int? = nil
  ) {
    self.maximumLength = maximumLength
    self.maximumSteps = maximumSteps
    self.maximumDepth = maximumDepth
    self.paths = paths
    self.maximumVisits = maximumVisits
  }

  /// No limits, for texts of the app's own: the default.
  public static let none = FilterLimits()

  /// Limits for texts of clients: 2,000 bytes, 4 names in a path, a depth of 8, and 100,000 visits, which take some tens
  /// of milliseconds for numbers and short texts, up to some hundreds for texts that are folded, and end after two
  /// seconds of processor time.
  ///
  /// - Parameter paths: the paths that may be named.
  public static func ofClients(paths: Set<String>) -> FilterLimits {
    FilterLimits(maximumLength: 2_000, maximumSteps: 4, maximumDepth: 8, paths: paths, maximumVisits: 100_000)
  }
}
