import LiveStorePostgreSQL
import Testing

@Suite struct `Names of columns` {
  @Test(arguments: [
    ("id", "id"), ("authorID", "author_id"), ("createdAt", "created_at"), ("URLString", "url_string"),
    ("htmlURLText", "html_url_text"), ("tagIDs", "tag_ids"), ("userIDsByName", "user_ids_by_name"),
    ("v2Score", "v2_score"),
    ("author_id", "author_id"), ("already_Snake", "already_snake"), ("isASmallThing", "is_a_small_thing"),
    ("A", "a"), ("", ""),
    ("X", "x"), ("imageURLs", "image_urls"), ("straßeÄnderung", "straße_änderung"), ("_private", "_private"),
    ("sha256", "sha256"),
  ])
  func `snake case has the words of a property in lower case`(property: String, column: String) {
    #expect(ColumnNaming.snakeCase.column(for: property) == column)
  }

  @Test func `single columns have names of their own`() {
    let naming = ColumnNaming.snakeCase.with(["authorID": "writer"]).with(["mail": "e_mail"])
    #expect(naming.column(for: "authorID") == "writer" && naming.column(for: "mail") == "e_mail")
    #expect(naming.column(for: "createdAt") == "created_at")
    let other: ColumnNaming = ["authorID": "writer"]
    #expect(other.column(for: "authorID") == "writer" && other.column(for: "createdAt") == "createdAt")
    #expect(ColumnNaming.same.column(for: "createdAt") == "createdAt")
  }
}
