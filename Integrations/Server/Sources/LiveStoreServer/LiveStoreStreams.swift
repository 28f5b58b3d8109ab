// What a stream's messages are in Swift is part of this module, too.
@_exported public import LiveStoreStreams
