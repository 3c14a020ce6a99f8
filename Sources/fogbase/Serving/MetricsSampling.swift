import RecordAPI

/// Keeps the history of metrics while the server runs.
final class MetricsSampling: Sendable {
    private let task: Task<Void, Never>

    private static let interval = Duration.seconds(10)

    init(_ api: RecordAPI) {
        task = Task.detached {
            while !Task.isCancelled {
                api.keepMetrics()
                // A cancelled task ends the loop.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    func end() { task.cancel() }
}
