/// What the making of thumbnails may take of the machine.
package struct ThumbnailLimits: Hashable, Sendable {
    /// Processes at once.
    package var processes: Int
    /// Thumbnails that wait for a process; one more is refused.
    package var queue: Int
    /// What one process may take, in time and, rounded up to whole seconds, in processor time.
    package var time: Duration
    /// The address space of one process. libvips itself starts with 256 MB; a picture of 12 megapixels does with 512 MB.
    package var memoryBytes: Int
    /// The longest thumbnail.
    package var outputBytes: Int

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
