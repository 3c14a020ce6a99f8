internal import Glibc
internal import HTTP

/// The kernel's statistics about this process from `/proc/self` (proc(5)). A statistic that cannot be read is omitted.
struct ProcessMetrics: MetricsSource {
    func writeMetrics(into text: inout MetricsText) {
        let fields = Self.statFields()
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        // The field numbers are those of proc(5). `fields` lacks the first two fields.
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

    /// Returns the fields of `/proc/self/stat` from the third field on. The second field is the process name, which may
    /// contain spaces and parentheses.
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
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Do not count `.`, `..` and the descriptor that reads the directory.
        return max(0, count - 3)
    }

    private static func lines(_ path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        // The limit ensures that reading ends. It is far above the size of any of these files.
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
