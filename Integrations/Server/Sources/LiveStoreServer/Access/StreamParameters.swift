import HTTPTypes

/// What a client asks for, from the query of its URL.
struct StreamParameters: Sendable {
  enum Live: String, Sendable {
    case longPoll = "long-poll"
    case events = "sse"
  }

  enum Start: Hashable, Sendable {
    case beginning
    case now
    case after(StreamOffset)
  }

  var filter: String?
  /// Names of fields, and whether the order is descending.
  var sort: [(field: String, isDescending: Bool)] = []
  var limit: Int?
  var start = Start.beginning
  var live: Live?
  var cursor: String?
  /// What names the client's part of the query.
  var texts: [String] = []

  /// - Parameter query: the part of the URL behind the question mark.
  init(query: String) throws(ServerError) {
    var known: Set<String> = []
    var hasOffset = false
    for part in query.utf8.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      guard let value = Self.decoded(part.dropFirst(name.count + 1)), let name = Self.decoded(name) else {
        throw ServerError(.badRequest, "invalidParameter", "The query of the URL is not encoded as URLs are.")
      }
      guard ["where", "sort", "limit", "offset", "live", "cursor"].contains(name) else { continue }
      guard known.insert(name).inserted else {
        throw ServerError(.badRequest, "invalidParameter", "A parameter is given twice.", parameter: name)
      }
      switch name {
      case "where": filter = value
      case "sort": sort = try Self.sort(value)
      case "limit":
        guard let limit = Int(value), limit >= 0 else {
          throw ServerError(
            .badRequest, "invalidParameter", "The limit is no number of rows.", parameter: name)
        }
        self.limit = limit
      case "offset":
        hasOffset = true
        start = try Self.start(value)
      case "live":
        guard let live = Live(rawValue: value) else {
          throw ServerError(.badRequest, "invalidParameter", "Live is long-poll or sse.", parameter: name)
        }
        self.live = live
      default: cursor = value
      }
    }
    if live != nil, !hasOffset {
      throw ServerError(
        .badRequest, "invalidParameter",
        "A live stream begins at an offset: -1, now, or one that the server gave.",
        parameter: "offset")
    }
    texts = [
      filter ?? "", sort.map { "\($0.field):\($0.isDescending)" }.joined(separator: ","),
      limit.map(String.init) ?? "",
    ]
  }

  /// The parameter that makes the stream another query than a whole entity; nil if none does.
  var nameOfQuery: String? {
    if filter != nil { return "where" }
    if !sort.isEmpty { return "sort" }
    return limit == nil ? nil : "limit"
  }

  private static func start(_ value: String) throws(ServerError) -> Start {
    switch value {
    case "-1": return .beginning
    case "now": return .now
    default:
      guard let offset = StreamOffset(value) else {
        throw ServerError(
          .badRequest, "invalidOffset", "The offset is none that the server gave.", parameter: "offset")
      }
      return .after(offset)
    }
  }

  private static func sort(_ value: String) throws(ServerError) -> [(field: String, isDescending: Bool)] {
    var keys: [(field: String, isDescending: Bool)] = []
    for key in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let parts = key.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == 1 || ["asc", "desc"].contains(parts[1]) else {
        throw ServerError(
          .badRequest, "invalidParameter", "An order is asc or desc, as in likeCount:desc.", parameter: "sort"
        )
      }
      keys.append((parts[0], parts.count > 1 && parts[1] == "desc"))
    }
    return keys
  }

  /// A part of a URL without its escapes; nil if they are not those of UTF-8.
  ///
  /// - Parameter plusIsSpace: whether a plus stands for a space, as in the query of a URL.
  static func decoded(_ text: some Collection<UInt8>, plusIsSpace: Bool = true) -> String? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 2, let byte = UInt8(exactly: 16 * digits[0] + digits[1]) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
