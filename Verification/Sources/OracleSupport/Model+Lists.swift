import LiveStore

/// The identities of the entries in posts' lists of tags, beside the lists.
struct ListEntries: Sendable {
  /// A number for each entry, in order.
  var tokens: [Int] = []
  /// Counts how often the list was replaced by one whose identities cannot be known.
  var generation = 0
}

/// What an edit does to a list, on the identities of its entries.
enum ListEdit: Sendable {
  case append
  case remove(Int)
  case move(Int, Int)
  case insert(Int)
  case replace
}

extension Model {
  /// Puts an object in its place, or in the last one. `edits` are those that made it of the one there.
  mutating func put<Element: ModelEntity>(_ element: Element, edits: [Edit<Element>]? = nil) {
    if let post = element as? Post { follow(post, edits?.compactMap(\.list)) }
    self[keyPath: Element.table].put(element)
  }

  private mutating func follow(_ post: Post, _ edits: [ListEdit]?) {
    let old = posts[post.id]
    var entries = lists[post.id.canon] ?? ListEntries()
    var isKnown = edits != nil && old != nil
    for edit in edits ?? [] {
      switch edit {
      case .append: entries.tokens.append(fresh())
      case .remove(let index):
        if !entries.tokens.isEmpty { entries.tokens.remove(at: index % entries.tokens.count) }
      case .move(let source, let target):
        if !entries.tokens.isEmpty {
          let token = entries.tokens.remove(at: source % entries.tokens.count)
          entries.tokens.insert(token, at: target % (entries.tokens.count + 1))
        }
      case .insert(let index): entries.tokens.insert(fresh(), at: index % (entries.tokens.count + 1))
      case .replace: isKnown = false
      }
    }
    // An equal list is the same value, whatever became of its entries.
    if let edits, !edits.isEmpty, old?.tags == post.tags { isKnown = false }
    if !isKnown {
      entries.tokens = post.tags.map { _ in fresh() }
      entries.generation += 1
    }
    lists[post.id.canon] = entries
  }

  /// Takes the entries of a deleted tag out.
  mutating func release(_ post: Post, tag: Canon) {
    guard var entries = lists[post.id.canon] else { return }
    entries.tokens = zip(post.tags, entries.tokens).filter { $0.0.canon != tag }.map(\.1)
    lists[post.id.canon] = entries
  }

  private mutating func fresh() -> Int {
    nextToken += 1
    return nextToken
  }
}
