/// A group of figures that are run together.
struct Scene: Sendable {
  let name: String
  let summary: String
  let run: @Sendable (Session) async throws -> Void

  static var all: [Scene] { targets }
}
