internal import Glibc
internal import HTTP

/// What the kernel says of this process, from `/proc/self` (proc(5)). A figure that cannot be read is left out.
struct ProcessMetrics: MetricsSource {
    func writeMetrics(into text: inout MetricsText) {
        let fields = Self.statFields()
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        // The numbers are those of proc(5), from which the two before the state are gone.
        if let user = Self.number(fields, 14), let system = Self.number(fields, 15) {
            text.counter(
                "process_cpu_seconds_total", help: "User and system CPU time in seconds.",
                seconds: (user + system) / ticks)
        }
        let status = Self.lines("/proc/self/status")
        if let resident = Self.kilobytes("VmRSS:", status) {
            text.gauge("process_resident_memory_bytes", help: "Resident memory in bytes.", resident * 1_024)
        }
        if let anonymous = Self.kilobytes("RssAnon:", status) {
            text.gauge(
                "process_anonymous_memory_bytes", help: "Resident anonymous memory in bytes.", anonymous * 1_024)
        }
        if let count = Self.openDescriptors() {
            text.gauge("process_open_fds", help: "Open file descriptors.", Double(count))
        }
        if let threads = Self.number(fields, 20) {
            text.gauge("process_threads", help: "Number of threads.", threads)
        }
        if let started = Self.number(fields, 22), let boot = Self.bootTime() {
            text.gauge(
                "process_start_time_seconds", help: "Start time of the process in seconds since 1970-01-01 UTC.",
                boot + started / ticks)
        }
    }

    /// The fields of `/proc/self/stat` from the third on: the name before them may have blanks and brackets.
    private static func statFields() -> [Substring] {
        guard let line = lines("/proc/self/stat").first, let end = line.lastIndex(of: ")") else { return [] }
        return line[line.index(after: end)...].split(separator: " ")
    }

    private static func number(_ fields: [Substring], _ number: Int) -> Double? {
        fields.indices.contains(number - 3) ? Double(fields[number - 3]) : nil
    }

    private static func kilobytes(_ name: String, _ lines: [Substring]) -> Double? {
        lines.first { $0.hasPrefix(name) }?.dropFirst(name.count).split { $0 == " " || $0 == "\t" }.first
            .flatMap { Double($0) }
    }

    private static func bootTime() -> Double? {
        lines("/proc/stat").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }

    private static func openDescriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // `.`, `..`, and the descriptor that reads the folder.
        return max(0, count - 3)
    }

    private static func lines(_ path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        // Far more than any of these files has, so that a read never goes on without end.
        while bytes.count < 1 << 20 {
            let chunk = [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
