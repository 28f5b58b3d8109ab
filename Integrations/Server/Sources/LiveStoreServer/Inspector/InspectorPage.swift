/// The files of the inspector's page, which are compiled into the library.
package enum InspectorPage {
  /// The page needs nothing but its own files and its server: no script or style within it, and no foreign host.
  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'
    """

  /// Whether a name is that of a file of the page; the empty one is that of the page itself.
  package static func hasFile(_ name: String) -> Bool { name.isEmpty || files[name] != nil }

  static let files: [String: (type: String, bytes: [UInt8])] = [
    "index.html": ("text/html; charset=utf-8", PackageResources.index_html),
    "inspector.css": (style, PackageResources.inspector_css),
    "inspector.js": (script, PackageResources.inspector_js),
    "rows.js": (script, PackageResources.rows_js),
    "table.js": (script, PackageResources.table_js),
    "views.js": (script, PackageResources.views_js),
    "livestore.js": (script, PackageResources.livestore_js),
  ]

  private static let style = "text/css; charset=utf-8"
  private static let script = "text/javascript; charset=utf-8"
}
