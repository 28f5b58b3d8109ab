import Foundation
package import LiveStore

/// The totals of groups from the changes of the input, without its objects.
///
/// Of an object is kept what it contributes to which group, by its key: so it can be taken out of the totals when a later
/// line replaces or removes the object. If no line can, nothing is kept.
package struct GroupMembers {
  /// Which objects belong to groups, and whether lines may replace them.
  package struct Rules: Hashable, Sendable {
    /// Which objects belong to groups; all if nil.
    package var filter: FilterSyntax?
    /// Whether a later line may replace or remove an object.
    package var areKept: Bool

    /// What is kept, for `--explain`.
    package var plan: String {
      let rest = areKept ? "kept is what each key contributes" : "no object is kept"
      return "group in one pass\(filter.map { ", filter \($0)" } ?? ""); \(rest)"
    }
  }

  /// The totals.
  package var totals: GroupTotals
  private let areKept: Bool
  /// The places of what objects contribute, by their keys.
  private var places: [JSONValue: Int32] = [:]
  /// The groups of the objects, and their values that are totalled.
  private var groups: [Int32] = []
  private var values: [GroupValue] = []
  /// The places that are free.
  private var free: [Int32] = []

  /// No objects.
  package init(_ totals: GroupTotals, _ rules: Rules) {
    self.totals = totals
    areKept = rules.areKept
  }

  /// Takes in a change.
  package mutating func apply(_ change: InputChange) {
    switch change {
    case .put(let document), .complete(let document, _): put(document)
    case .remove(let document): if areKept { take(out: document.id) }
    case .nothing: break
    case .removeAll where !areKept: break
    case .several(let changes): for change in changes { apply(change) }
    case .removeAll(let kept) where kept.isEmpty:
      totals.removeAll()
      (places, groups, values, free) = ([:], [], [], [])
    case .removeAll(let kept): for id in places.keys where !kept.contains(id) { take(out: id) }
    }
  }

  private mutating func put(_ document: Document) {
    // The filter has been evaluated on reading.
    let isMember = document.hasObject
    guard areKept else {
      if isMember { totals.add(document, 1) }
      return
    }
    let id = document.id
    guard isMember else { return take(out: id) }
    let (group, new) = (totals.place(of: totals.key(of: document)), totals.values(of: document))
    totals.add(1, new, at: group)
    keep(id, group, new)
  }

  /// Replaces what an object contributes, of which the new has been added.
  private mutating func keep(_ id: JSONValue, _ group: Int32, _ new: [GroupValue]) {
    let old = places[id]
    if let old { totals.add(-1, values[indices(old)], at: groups[Int(old)]) }
    let place = old ?? free.popLast() ?? Int32(groups.count)
    if old == nil { places[id] = place }
    if place == groups.count {
      groups.append(group)
      values.append(contentsOf: new)
    } else {
      groups[Int(place)] = group
      values.replaceSubrange(indices(place), with: new)
    }
  }

  private mutating func take(out id: JSONValue) {
    guard let place = places.removeValue(forKey: id) else { return }
    totals.add(-1, values[indices(place)], at: groups[Int(place)])
    free.append(place)
  }

  private func indices(_ place: Int32) -> Range<Int> {
    Int(place) * totals.paths.count..<(Int(place) + 1) * totals.paths.count
  }
}
