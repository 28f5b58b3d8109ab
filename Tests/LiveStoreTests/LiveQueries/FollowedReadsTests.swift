import LiveStore
import TestSupport
import Testing

private struct Friend: Entity {
  let id: Int
  var name = ""
  var nickname = ""
  static let schema = Schema<Friend> {
    \.name
    Ignored(\.nickname)
  }
}

private struct Hidden: Entity {
  let id: Int
  var value = 0
  var linked: Ref<Friend>?
  var friend: Ref<Friend>?
  var scratch = 0
  static let schema = Schema<Hidden> {
    \.value
    Relation(\.linked)
    Ignored(\.friend)
    Ignored(\.scratch)
  }
}

/// What cannot be followed is an error, the last event.
@Suite struct `Reads that are not observed` {
  private func error<Source: LiveSource>(of source: Source) throws -> StoreError? {
    let store = try Store(Friend.self, Hidden.self)
    do {
      _ = try store.subscribe(source)
      return nil
    } catch { return error }
  }

  /// Bug: groups by a value over a link that is no relation were given and never followed. Cause: only the stages of a
  /// query were looked at, not what its rows are grouped by. Mend: both are.
  @Test func `groups by a value over a property that is no relation are refused`() throws {
    for error in [
      try error(of: Hidden.all.grouped(by: \.friend.name).count),
      try error(of: Hidden.all.grouped(by: \.value).max(\.friend.name)),
      try error(of: Hidden.where { $0.friend.name == "a" }),
    ] {
      #expect(error?.code == StoreError.invalidSchema && error?.property == "friend")
    }
    #expect(try error(of: Hidden.all.grouped(by: \.linked.name).count) == nil)
  }

  /// Bug: a live query crashed that was ordered by an ignored property. Cause: no commit reports its changes, so
  /// entries were looked for where they no longer belonged. Mend: it is refused.
  @Test func `an ignored property may be read by a fetch, and not by a live query`() throws {
    for error in [
      try error(of: Hidden.sorted(by: \.scratch)), try error(of: Hidden.where { $0.scratch > 1 }.count),
      try error(of: Hidden.all.sectioned(by: \.scratch)), try error(of: Hidden.all.sum(\.scratch)),
    ] {
      #expect(error?.code == StoreError.invalidSchema && error?.property == "scratch")
    }
    let linked = try error(of: Hidden.all.tracking(\.linked.nickname))
    #expect(linked?.entity == "Friend" && linked?.property == "nickname")
    #expect(try error(of: Hidden.sorted(by: \.value).tracking(\.linked.name)) == nil)
    let store = try Store(Friend.self, Hidden.self)
    try store.write { tx in
      for id in 0..<3 { try tx.insert(Hidden(id: id, scratch: -id)) }
    }
    #expect(store.snapshot().fetch(Hidden.sorted(by: \.scratch)).map(\.id) == [2, 1, 0])
  }
}
