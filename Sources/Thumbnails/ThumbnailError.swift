/// The reason why a thumbnail is not available.
package enum ThumbnailError: Error, Hashable, Sendable {
    /// The program `vipsthumbnail` is not installed or does not start. Each use looks up the program again.
    case unavailable
    /// The picture has more pixels than the limit. No process was started for it.
    case tooManyPixels(limit: Int)
    /// Too many thumbnails are waiting, or the system cannot start another process. A later attempt may succeed.
    case overloaded
    /// The program exceeded its time limit and was killed. The failure is remembered for a minute.
    case timedOut
    /// The file is missing, damaged or not an accepted picture, or it needs more memory than the limit. The failure is
    /// remembered for ten minutes, unless the file could not be opened.
    case unreadable
    /// The thumbnail cannot be stored, because the disk is full or a disk write failed. No file is left on the disk.
    case storageFull
    /// The pool or cache was shut down, or the caller's task was canceled.
    case closed
}
