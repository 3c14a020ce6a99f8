/// Why there is no thumbnail.
package enum ThumbnailError: Error, Hashable, Sendable {
    /// The program `vipsthumbnail` is not installed, or does not start. It is looked for again at each use.
    case unavailable
    /// The picture has more pixels than are taken on; no process was started.
    case tooManyPixels(limit: Int)
    /// Too many thumbnails wait already, or the system refuses another process for now. Worth another try, later.
    case overloaded
    /// The program did not come to an end in its time and was killed. Remembered for a minute.
    case timedOut
    /// The file is no picture of a kind that is taken on, is broken, is gone, or needs more memory than there is for it.
    /// Remembered for ten minutes, except of a file that cannot be opened.
    case unreadable
    /// The thumbnail cannot be stored: the disk is full, or does not work. Nothing is left behind.
    case storageFull
    /// The pool or the cache was shut down, or the caller's task was cancelled, before there was a thumbnail.
    case closed
}
