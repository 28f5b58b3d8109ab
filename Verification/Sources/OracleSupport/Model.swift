import LiveStore

/// The whole store as arrays.
struct Model: Sendable {
  var teams = Table<Team>()
  var tags = Table<Tag>()
  var users = Table<User>()
  var posts = Table<Post>()
  var comments = Table<Comment>()
  var lists: [Canon: ListEntries] = [:]
  var nextToken = 0

  func isSame(as other: Model) -> Bool {
    teams.isSame(as: other.teams) && tags.isSame(as: other.tags) && users.isSame(as: other.users)
      && posts.isSame(as: other.posts) && comments.isSame(as: other.comments)
  }

  func has(_ id: Canon, _ target: LinkTarget) -> Bool {
    switch target {
    case .team: teams[id] != nil
    case .tag: tags[id] != nil
    case .user: users[id] != nil
    case .post: posts[id] != nil
    case .comment: comments[id] != nil
    }
  }
}

extension Model {
  /// Deletes an object and does to those that link to it what their relations say.
  mutating func delete<Element: ModelEntity>(_ type: Element.Type, _ id: Canon) -> Bool {
    guard let row = self[keyPath: Element.table][id] else { return false }
    self[keyPath: Element.table].remove(id)
    let target = Element.target
    release(id, target, Team.self)
    release(id, target, Tag.self)
    release(id, target, User.self)
    release(id, target, Post.self)
    release(id, target, Comment.self)
    for link in Element.links where link.isOwned {
      for id in link.ids(row) { _ = delete(Comment.self, id) }
    }
    return true
  }

  private mutating func release<Source: ModelEntity>(_ id: Canon, _ target: LinkTarget, _: Source.Type) {
    for link in Source.links where link.target == target && link.rule != .restrict {
      for row in self[keyPath: Source.table].rows where link.ids(row).contains(id) {
        switch link.rule {
        case .cascade: _ = delete(Source.self, row.id.canon)
        case .nullify:
          // Another link of the row may have been taken away, or the row, since the rows were listed.
          guard var row = self[keyPath: Source.table][row.id] else { continue }
          if link.name == "tags", let post = row as? Post { release(post, tag: id) }
          link.removing(&row, id)
          self[keyPath: Source.table].put(row)
        case .restrict: break
        }
      }
    }
  }

  /// The codes of all that a commit of this state, after `before`, would have to refuse.
  func violations(deleted: Set<Deleted>) -> Set<String> {
    var codes: Set<String> = []
    verifyUnique(teams.rows.map { $0.name.canon }, &codes)
    verifyUnique(users.rows.compactMap { $0.handle?.canon }, &codes)
    verifyLinks(Team.self, deleted, &codes)
    verifyLinks(Tag.self, deleted, &codes)
    verifyLinks(User.self, deleted, &codes)
    verifyLinks(Post.self, deleted, &codes)
    verifyLinks(Comment.self, deleted, &codes)
    return codes
  }

  private func verifyUnique(_ values: [Canon], _ codes: inout Set<String>) {
    if Set(values).count < values.count { codes.insert("uniqueViolation") }
  }

  private func verifyLinks<Source: ModelEntity>(
    _: Source.Type, _ deleted: Set<Deleted>, _ codes: inout Set<String>
  ) {
    for row in self[keyPath: Source.table].rows {
      for link in Source.links {
        for id in link.ids(row) where !has(id, link.target) {
          codes.insert("missingLinkTarget")
          if link.rule == .restrict, deleted.contains(Deleted(id: id, target: link.target)) {
            codes.insert("deleteRestricted")
          }
        }
      }
    }
  }
}

/// An object that a transaction deleted.
struct Deleted: Hashable, Sendable {
  var id: Canon
  var target: LinkTarget
}
