public import Hummingbird

extension StoreServer {
  /// Adds the inspector's page to the routes of an app, which must see to it that only developers and operators reach it.
  ///
  /// ```swift
  /// server.addInspector(to: router.group("admin").add(middleware: AdminsOnly()))     // /admin/inspector
  /// ```
  /// The page shows every row and property of the store. It asks for the token of ``AccessRules``, and answers for this machine
  /// and for hosts that are listed there; an app's `authenticate` is not asked. ``addRoutes(to:at:)`` does not add it.
  /// - Parameters:
  ///   - router: the app's router, or a group of it.
  ///   - path: where the page is.
  public func addInspector<Context>(
    to router: some RouterMethods<Context>, at path: RouterPath = "/inspector"
  ) {
    let inspector = InspectorResponder(store, configuration, state)
    let group = router.group(path)
    group.get { request, _ in await inspector.page(request, nil) }
    group.get(":file") { request, context in
      await inspector.page(request, context.parameters.get("file"))
    }
    group.get("state") { request, _ in await inspector.state(request) }
    group.get("events") { request, _ in await inspector.events(request) }
    group.get("plan") { request, _ in await inspector.plan(request) }
    group.get("streams/:entity") { request, context in
      await inspector.rows(request, context.parameters.get("entity"))
    }
  }
}
