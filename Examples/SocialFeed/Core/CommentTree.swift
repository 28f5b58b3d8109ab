import LiveStore

/// The comments on a post as they are shown: each followed by its replies, siblings in the order given.
///
/// ```swift
/// for node in CommentTree(snapshot.fetch(Comment.on(post.id))) {
///   print(String(repeating: "  ", count: node.depth) + node.comment.text)
/// }
/// ```
/// A reply whose parent is not among the comments starts a branch of its own.
public struct CommentTree: RandomAccessCollection, Hashable, Sendable {
  /// A comment, and how many comments above it lead to the post.
  public struct Node: Hashable, Sendable {
    /// The comment.
    public let comment: Comment
    /// 0 for a comment on the post itself, 1 for a reply to that, and so on.
    public let depth: Int
  }

  private var nodes: [Node] = []

  /// Puts comments in the order of the tree.
  ///
  /// - Complexity: O(*n*), and no recursion, however deep the tree is.
  public init(_ comments: some Collection<Comment>) {
    let known = Set(comments.map(\.ref))
    let replies = Dictionary(grouping: comments) { comment in
      comment.parent.flatMap { known.contains($0) ? $0 : nil }
    }
    var waiting = Self.nodes(replies[nil], depth: 0)
    while let node = waiting.popLast() {
      nodes.append(node)
      waiting += Self.nodes(replies[node.comment.ref], depth: node.depth + 1)
    }
  }

  /// Comments of one depth in reverse order, to be pushed on a stack.
  private static func nodes(_ comments: [Comment]?, depth: Int) -> [Node] {
    (comments ?? []).reversed().map { Node(comment: $0, depth: depth) }
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of comments.
  public var endIndex: Int { nodes.count }
  /// The comment at a position.
  public subscript(position: Int) -> Node { nodes[position] }
}
