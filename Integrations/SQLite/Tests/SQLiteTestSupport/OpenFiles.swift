import Foundation

/// The limit of how many files this process may have open.
package enum OpenFiles {
  /// Raises the limit if it is too low and the system allows more.
  ///
  /// Tests run all at once, and an open store takes four files: together some 1,800. Many systems allow 1,024 or 256
  /// unless a process asks for more.
  package static func raiseLimit() { raised }

  private static let raised: Void = {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < 10_000 else { return }
    limit.rlim_cur = min(10_000, limit.rlim_max)
    _ = setrlimit(resource, &limit)
  }()
}
