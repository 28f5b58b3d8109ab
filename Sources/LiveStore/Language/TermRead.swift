/// Something that a term reads: links from its row to others, and a value there.
///
/// A term depends on the rows at the end of each hop: on their existence, on the links that they hold for the next hop,
/// and at the last hop on the value.
package struct TermRead: Hashable, Sendable {
  /// How far out the row is that the links start from: 0 for the row of the term, 1 for the row around it (B3).
  let level: Int
  package let hops: [LinkStep]
  let value: Value

  enum Value: Hashable, Sendable {
    /// Only whether there is a row.
    case existence
    case property(PropertyPath)
    /// Whatever a closure may read.
    case anything
  }

  /// The member of the row itself that is read, as a term; nil for all else.
  package var ownMember: Term? {
    if level == 0, hops.isEmpty, case .property(let path) = value { .property(.row(0), path) } else { nil }
  }

  /// The same, seen from a row that links lead from to the row of the term, or that the row belongs to.
  ///
  /// - Parameter place: where the rows of the term are; nil for elements of a collection, which are read with it.
  /// - Returns: nil if it reads nothing but an element.
  fileprivate func seen(through place: TermPlace?) -> TermRead? {
    if level > 0 { return TermRead(level: level - 1, hops: hops, value: value) }
    return place.map { TermRead(level: $0.level, hops: $0.hops + hops, value: value) }
  }

  /// What is noticed with it: on the way the rows and the links that lead on, and at the end the row.
  fileprivate var implied: [TermRead] {
    var implied: [TermRead] = []
    for (depth, hop) in hops.enumerated() {
      let way = Array(hops[..<depth])
      implied.append(TermRead(level: level, hops: way, value: .existence))
      if !hop.isBackward, let path = hop.path.ownPath {
        implied.append(TermRead(level: level, hops: way, value: .property(path)))
      }
    }
    if value != .existence { implied.append(TermRead(level: level, hops: hops, value: .existence)) }
    return implied
  }
}

extension TermRead {
  fileprivate init(_ place: TermPlace, _ value: Value) {
    self.init(level: place.level, hops: place.hops, value: value)
  }
}

/// One step from the rows of an entity to rows linked with them.
package struct LinkStep: Hashable, Sendable {
  /// The entity that holds the link, and its property.
  package let source: ObjectIdentifier
  package let path: Term
  /// Whether the step is from a target to the objects that link to it.
  package let isBackward: Bool
}

/// Where the rows of a term are: the row that links start from, and the links.
struct TermPlace {
  let level: Int
  var hops: [LinkStep] = []
}

extension Term {
  /// Everything that the term reads, each once, without what is noticed with something else that it reads.
  ///
  /// - Complexity: O(size of the term).
  package var reads: [TermRead] {
    var found: [TermRead] = []
    collect(into: &found)
    if found.count < 2 { return found }
    var known = Set(found.flatMap(\.implied))
    return found.filter { known.insert($0).inserted }
  }

  /// The links that lead from the row to others, each with what is read there.
  package var chains: [TermRead] { reads.filter { $0.level == 0 && !$0.hops.isEmpty } }

  private func collect(into reads: inout [TermRead]) {
    switch self {
    case .row(let level): reads.append(TermRead(TermPlace(level: level), .anything))
    // The row that a member or a link is read from is not read as a whole.
    case .property(.row(let level), let path):
      reads.append(TermRead(TermPlace(level: level), .property(path)))
    case .function(.link, .row), .target(.function(.link, .row)): break
    case .linking(.row, _): if let place { reads.append(TermRead(place, .existence)) }
    case .property(let base, let path):
      base.collect(into: &reads)
      if let place = base.place { reads.append(TermRead(place, .property(path))) }
    case .target(let base), .linking(let base, _):
      base.collect(into: &reads)
      if let place { reads.append(TermRead(place, .existence)) }
    case .filtered(let objects, let inner), .some(let objects, let inner),
      .aggregate(_, let objects, let inner):
      objects.collect(into: &reads, with: [inner])
    case .values(let objects, let members): objects.collect(into: &reads, with: members)
    case .closure(_, let base), .predicate(_, let base), .search(let base, _), .relevance(let base, _):
      base.collect(into: &reads)
      if let place = base.place { reads.append(TermRead(place, .anything)) }
    default:
      _ = anyPart { part in
        part.collect(into: &reads)
        return false
      }
    }
  }

  /// Adds what these objects or elements read, and what terms about each of them do.
  private func collect(into reads: inout [TermRead], with terms: [Term]) {
    collect(into: &reads)
    let place = place
    for term in terms { reads += term.reads.compactMap { $0.seen(through: place) } }
  }

  /// Where its rows are; nil for values, and for elements of collections.
  var place: TermPlace? {
    switch self {
    case .row(let level): return TermPlace(level: level)
    case .target(.function(.link, let base)), .filtered(let base, _): return base.place
    case .target(let link):
      guard let (base, path, source) = link.member, var place = base.place else { return nil }
      place.hops.append(LinkStep(source: source, path: path, isBackward: false))
      return place
    case .linking(let base, let link):
      var place = base.place
      place?.hops.append(link.step)
      return place
    default: return nil
    }
  }

  /// The row whose member this is, or is where none is missing; the same as a member of row 0; and the row's type.
  private var member: (base: Term, path: Term, source: ObjectIdentifier)? {
    switch self {
    case .property(let base, let path): path.root.map { (base, .property(.row(0), path), $0) }
    case .fallback(let term, let other): term.member.map { ($0.base, .fallback($0.path, other), $0.source) }
    default: nil
    }
  }

  /// Whether it reads linked objects.
  package var followsLinks: Bool {
    switch self {
    case .target, .linking: place != nil || anyPart(\.followsLinks)
    default: anyPart(\.followsLinks)
    }
  }

  /// Whether it reads rows around its own.
  var readsOuter: Bool { !allRows { level, _ in level == 0 } }

  /// Whether all rows and elements that the term starts from pass a test.
  ///
  /// - Parameters:
  ///   - depth: how many rows are around the rows of this part.
  ///   - test: is given how far out a row is, and its type if that is known.
  func allRows(at depth: Int = 0, _ test: (_ level: Int, _ type: ObjectIdentifier?) -> Bool) -> Bool {
    func isMet(_ level: Int, _ type: ObjectIdentifier?) -> Bool { level < depth || test(level - depth, type) }
    switch self {
    case .row(let level): return isMet(level, nil)
    case .element(let type, let level): return isMet(level, type)
    case .property(.row(let level), let path): return isMet(level, path.root)
    case .linking(.row(let level), let link): return isMet(level, link.target)
    default: return !anyPart { !$0.allRows(at: $1 ? depth + 1 : depth, test) }
    }
  }

  /// Whether it starts from rows of a type alone, as far as their types are known.
  func starts(at type: ObjectIdentifier) -> Bool {
    allRows { level, found in level == 0 && (found == nil || found == type) }
  }
}
