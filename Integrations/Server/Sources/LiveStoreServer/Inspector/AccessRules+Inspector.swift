package import HTTPTypes

extension AccessRules {
  /// Why the inspector refuses a request: for what streams refuse, and for coming from any page but its own.
  func refusalByInspector(of head: HTTPRequest, needsToken: Bool) -> ServerError? {
    var rules = self
    // The inspector shows everything: a name that anyone could have made lead here is never its own.
    rules.hosts = rules.hosts ?? []
    if !needsToken { rules.token = nil }
    if let refusal = rules.refusal(of: head) { return refusal }
    let own = ["http://", "https://"].map { $0 + (head.authority ?? "") }
    let isOwn = head.headerFields[.origin].map { own.contains($0) } ?? true
    // Browsers say where a request comes from; a link on another page may lead to the inspector's page.
    let site = head.headerFields[.secFetchSite] ?? "none"
    guard isOwn, !needsToken || ["same-origin", "none"].contains(site) else {
      return ServerError(.forbidden, "originNotAllowed", "The inspector answers its own page alone.")
    }
    return nil
  }

  /// The status with which a proxy of the inspector refuses a request; nil if it does not.
  package func statusOfRefusalByInspector(
    of head: HTTPRequest, needsToken: Bool
  ) -> HTTPResponse.Status? { refusalByInspector(of: head, needsToken: needsToken)?.status }
}

extension HTTPField.Name {
  fileprivate static var secFetchSite: Self { Self(token: "Sec-Fetch-Site") }
}
