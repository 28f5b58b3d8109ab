import Foundation

/// How the C library gives memory to this process.
enum Allocator {
  /// Takes memory from the system in larger pieces, into two heaps.
  ///
  /// The C library of GNU gives each thread a heap of its own, which grows by single pages, each with a system call. In
  /// the tool, one thread reads objects while another writes or prints those before; with one heap they would wait for
  /// each other.
  static func prepare() {
    #if canImport(Glibc)
      // `int mallopt(int, int)` of <malloc.h>, which the module of the C library leaves out.
      guard let address = dlsym(nil, "mallopt") else { return }
      let set = unsafeBitCast(address, to: (@convention(c) (Int32, Int32) -> Int32).self)
      let (topPad, arenaMax): (Int32, Int32) = (-2, -8)
      _ = set(arenaMax, 2)
      _ = set(topPad, 1 << 20)
    #endif
  }
}
