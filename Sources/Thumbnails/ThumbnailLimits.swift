/// The resource limits for making thumbnails.
package struct ThumbnailLimits: Hashable, Sendable {
    /// The maximum number of concurrent processes.
    package var processes: Int
    /// The maximum number of thumbnails that wait for a process. Further requests are rejected.
    package var queue: Int
    /// The maximum run time of one process. The limit of the processor time is the same, rounded up to whole seconds.
    package var time: Duration
    /// The maximum address space of one process, in bytes. libvips alone needs 256 MB; a picture of 12 megapixels needs
    /// 512 MB.
    package var memoryBytes: Int
    /// The maximum size of a thumbnail, in bytes.
    package var outputBytes: Int

    /// Creates limits for a pool.
    package init(
        processes: Int = 2, queue: Int = 64, time: Duration = .seconds(10), memoryBytes: Int = 1 << 30,
        outputBytes: Int = 32 << 20
    ) {
        precondition(processes > 0 && queue >= 0, "A pool has at least one process")
        precondition(memoryBytes > 0 && outputBytes > 0, "A process needs memory and room for what it makes")
        self.processes = processes
        self.queue = queue
        self.time = time
        self.memoryBytes = memoryBytes
        self.outputBytes = outputBytes
    }
}
