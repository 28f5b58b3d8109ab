import LiveStore

/// A change set as the page applies it: take out the rows at `deletions` and at the `from` of `moves`, all of them indices
/// before the change; put in those of `insertions` and `moves` in ascending order of their new index; then replace
/// `modifications`.
struct ChangeMessage: Encodable {
  struct Row: Encodable {
    var index: Int
    var post: Post
  }

  struct Relocation: Encodable {
    var from: Int
    var to: Int
  }

  var deletions: [Int]
  var insertions: [Row]
  var modifications: [Row]
  var moves: [Relocation]

  init(_ changes: ChangeSet<Post>) {
    deletions = changes.deletions
    insertions = changes.insertions.map { Row(index: $0, post: changes.current[$0]) }
    modifications = changes.modifications.map { Row(index: $0.newIndex, post: $0.new) }
    moves = changes.moves.map { Relocation(from: $0.from, to: $0.to) }
  }
}
