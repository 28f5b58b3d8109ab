import Foundation

/// The system's events about files: one grows or is truncated, or one is made in their directories or moved there.
///
/// They come from inotify on Linux and from kqueue on Darwin, by a descriptor that can be waited for.
final class FileEvents {
  /// Can be read when there are events; -1 if the system has none.
  let descriptor: Int32
  /// Whether all the files and directories are watched.
  let isComplete: Bool

  #if canImport(Darwin)
    /// The directories, open as long as they are watched.
    private let directories: [Int32]

    /// Asks for the events of files and of the directories that they are in.
    init(_ files: [FollowedFile]) {
      let queue = kqueue()
      _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
      directories = Self.directories(of: files).map { open($0, O_EVTONLY | O_CLOEXEC) }
      let regular = files.filter { $0.isRegular }.map(\.descriptor)
      let added = (regular + directories).map { descriptor in
        var event = kevent(
          ident: UInt(bitPattern: Int(descriptor)), filter: Int16(EVFILT_VNODE),
          flags: UInt16(EV_ADD | EV_CLEAR),
          fflags: UInt32(NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB), data: 0, udata: nil)
        return kevent(queue, &event, 1, nil, 0, nil) == 0
      }
      (descriptor, isComplete) = (queue, added.allSatisfy { $0 })
      for file in files { file.isWatched = true }
    }

    /// Takes the events that there are.
    func drain() {
      var events = [kevent](repeating: kevent(), count: 16)
      var none = timespec()
      while kevent(descriptor, nil, 0, &events, Int32(events.count), &none) > 0 {}
    }

    deinit {
      for file in directories + [descriptor] where file >= 0 { close(file) }
    }
  #else
    /// Asks for the events of files and of the directories that they are in.
    init(_ files: [FollowedFile]) {
      let queue = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      // By its descriptor, since another file may have its name by now.
      let regular = files.filter { $0.isRegular }.map { "/proc/self/fd/\($0.descriptor)" }
      let added =
        regular.map { inotify_add_watch(queue, $0, UInt32(IN_MODIFY)) }
        + Self.directories(of: files).map { inotify_add_watch(queue, $0, UInt32(IN_CREATE | IN_MOVED_TO)) }
      (descriptor, isComplete) = (queue, added.allSatisfy { $0 >= 0 })
      for file in files { file.isWatched = true }
    }

    /// Takes the events that there are.
    func drain() {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      while read(descriptor, &bytes, bytes.count) > 0 {}
    }

    deinit {
      if descriptor >= 0 { close(descriptor) }
    }
  #endif

  /// The directories in which files are, and those in which symbolic links to them are.
  private static func directories(of files: [FollowedFile]) -> [String] {
    let paths = files.filter { $0.descriptor < 0 || $0.isRegular }.flatMap { file in
      let target = realpath(file.name, nil)
      defer { free(target) }
      return [file.name] + (target.map { [String(cString: $0)] } ?? [])
    }
    return FileFollower.distinct(
      paths.map { path in path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "." })
  }
}
