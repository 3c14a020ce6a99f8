import Sockets
import TestSupport
import Testing
import Threads

/// An echo server, one task per connection, on one loop.
private final class EchoServer: Sendable {
    let loop: EventLoop
    let listening: ListeningSocket
    let port: UInt16
    /// How each connection's waits and life ended.
    let ends = Locked<[String]>([])
    let ended = Gate()
    /// How many had ended when the last bytes came back.
    let endsBeforeEcho = Locked(0)

    init(deadline: Duration? = nil) async throws {
        loop = try EventLoop(name: "test-loop")
        listening = try ListeningSocket(SocketAddress("127.0.0.1:0"))
        port = try #require(listening.address.port)
        let started = Gate()
        let (loop, listening) = (loop, listening)
        loop.perform { [self] in
            _ = try? LoopListener(listening, on: loop) { [self] descriptor, _ in
                guard let socket = try? LoopSocket(descriptor, on: loop) else { return }
                Task(executorPreference: loop) { [self] in await serve(socket, deadline: deadline) }
            }
            started.open()
        }
        await started.wait()
    }

    private func serve(_ socket: LoopSocket, deadline: Duration?) async {
        var bytes = [UInt8](repeating: 0, count: 1024)
        var end: String?
        while end == nil {
            switch await socket.waitReadable(until: deadline.map { .after($0) } ?? .never) {
            case .ready: break
            case .timeout: end = "timeout"
            case .cancelled: end = "cancelled"
            }
            if end != nil { break }
            switch bytes.withUnsafeMutableBytes({ socket.read(into: $0) }) {
            case .bytes(let count):
                let ends = ends.withLock { $0.count }
                endsBeforeEcho.withLock { $0 = ends }
                _ = bytes.withUnsafeBytes { socket.write(.init(rebasing: $0[..<count])) }
            case .wouldBlock: continue
            case .end: end = "end"
            case .failed: end = "failed"
            }
        }
        socket.close()
        ends.withLock { $0.append(loop.isOnThread ? end ?? "" : "wrong thread") }
        ended.open()
    }

    func stop() async {
        await loop.stop()
        listening.close()
    }
}

@Suite struct EventLoopTests {
    @Test func `bytes come back, and the end of the stream ends the connection`() async throws {
        let server = try await EchoServer()
        let client = try RawClient(port: server.port)
        for text in ["one", "two", String(repeating: "x", count: 1024), "four"] {
            try client.send(text)
            #expect(try client.receive(until: text) == text)
        }
        client.finishSending()
        #expect(try client.receive().isEmpty)
        await server.ended.wait()
        #expect(server.ends.withLock { $0 } == ["end"])
        await server.stop()
    }

    @Test func `an end of stream that arrives with the last bytes is seen`() async throws {
        let server = try await EchoServer()
        let blocked = Gate()
        server.loop.perform { blocked.waitBlocking() }
        let client = try RawClient(port: server.port)
        try client.send("last words")
        client.finishSending()
        blocked.open()
        #expect(try client.receiveText() == "last words")
        await server.stop()
    }

    @Test func `a wait without an event ends at its deadline`() async throws {
        let server = try await EchoServer(deadline: .milliseconds(30))
        let client = try RawClient(port: server.port)
        #expect(try client.receive().isEmpty)
        await server.ended.wait()
        #expect(server.ends.withLock { $0 } == ["timeout"])
        await server.stop()
    }

    @Test func `a stopped loop wakes waiting tasks and closes their sockets`() async throws {
        let server = try await EchoServer()
        let client = try RawClient(port: server.port)
        try client.send("hello")
        _ = try client.receive(until: "hello")
        await server.stop()
        #expect(server.ends.withLock { $0 } == ["cancelled"])
        #expect(try client.receive().isEmpty)
    }

    @Test func `a reset peer ends the connection`() async throws {
        let server = try await EchoServer()
        let client = try RawClient(port: server.port)
        try client.send("hello")
        _ = try client.receive(until: "hello")
        client.reset()
        await server.ended.wait()
        #expect(server.ends.withLock { $0.count } == 1)
        await server.stop()
    }

    /// The request must not wait until all of them have been called.
    @Test func `a request does not wait for hundreds of due alarms`() async throws {
        let server = try await EchoServer()
        let late = try RawClient(port: server.port)
        try late.send("early")
        _ = try late.receive(until: "early")
        let begun = Gate()
        let blocked = Gate()
        server.loop.perform {
            let soon = Deadline.after(.milliseconds(1))
            for _ in 0..<600 {
                _ = LoopTimer(on: server.loop, at: soon) { server.ends.withLock { $0.append("alarm") } }
            }
            begun.open()
            blocked.waitBlocking()
            while !soon.hasPassed() {}
        }
        await begun.wait()
        try late.send("late")
        blocked.open()
        #expect(try late.receive(until: "late") == "late")
        #expect(server.endsBeforeEcho.withLock { $0 } < 200)
        let deadline = Deadline.after(.seconds(60))
        while server.ends.withLock({ $0.count }) < 600, !deadline.hasPassed() { await Task.yield() }
        #expect(server.ends.withLock { $0.count } == 600, "yet all are called")
        await server.stop()
    }

    @Test func `a time slice begins at a job's first check, and again after other jobs have run`() async throws {
        let loop = try EventLoop(name: "test-loop", timeSlice: .milliseconds(20))
        let isOver = await Task(executorPreference: loop) {
            let later = Deadline.after(.milliseconds(20))
            while !later.hasPassed() {}
            let atFirst = loop.isTimeSliceOver
            while !loop.isTimeSliceOver {}
            await loop.yieldIfTimeSliceIsOver()
            return [atFirst, loop.isTimeSliceOver]
        }.value
        #expect(isOver == [false, false])
        await loop.stop()
        let strict = try EventLoop(name: "test-loop", timeSlice: .zero)
        #expect(await Task(executorPreference: strict) { strict.isTimeSliceOver }.value)
        await strict.stop()
    }

    @Test func `moved or canceled timers do not fire, however many there are`() async throws {
        let loop = try EventLoop(name: "test-loop")
        let fired = Locked<[Int]>([])
        let last = Gate()
        loop.perform {
            let start = MonotonicClock.now
            for number in 0..<1_000 {
                let alarm = LoopTimer(on: loop, at: Deadline(nanoseconds: start + 1_000_000)) {
                    fired.withLock { $0.append(number) }
                }
                if number % 10 != 0 { alarm.cancel() }
            }
            _ = LoopTimer(on: loop, at: Deadline(nanoseconds: start + 2_000_000)) { last.open() }
        }
        await last.wait()
        #expect(fired.withLock { $0 }.sorted() == (0..<100).map { $0 * 10 })
        await loop.stop()
    }

    @Test func `a job from another thread wakes a sleeping loop, every time`() async throws {
        let loop = try EventLoop(name: "test-loop")
        for round in 0..<2000 {
            let value = await Task(executorPreference: loop) { loop.isOnThread ? round : -1 }.value
            #expect(value == round)
        }
        await loop.stop()
    }

    @Test(.timeLimit(.minutes(1))) func `nothing retains a loop that has ended`() async throws {
        weak var ended: EventLoop?
        do {
            let loop = try EventLoop(name: "test-loop")
            ended = loop
            let armed = Gate()
            loop.perform {
                loop.beforeBlocking = { _ = loop.now }
                // Neither retained nor canceled.
                _ = LoopTimer(on: loop, at: .after(.seconds(3_600))) { _ = loop.now }
                armed.open()
            }
            await armed.wait()
            await loop.stop()
        }
        // Its thread lets go of it last.
        while ended != nil { await Task.yield() }
    }

    @Test func `a job that comes after the stop still runs`() async throws {
        let loop = try EventLoop(name: "test-loop")
        await loop.stop()
        #expect(await Task(executorPreference: loop) { loop.isOnThread }.value)
        await loop.stop()
    }

    @Test func `the hook is called before the loop waits, and its jobs run first`() async throws {
        let loop = try EventLoop(name: "test-loop")
        let called = Gate()
        loop.perform { loop.beforeBlocking = { called.open() } }
        await called.wait()
        await loop.stop()
    }

    @Test func `a loop and its sockets leave no descriptor behind`() async throws {
        // In a separate process, in which no other test opens descriptors.
        await #expect(processExitsWith: .success) {
            let before = ProcessFacts.openDescriptors
            var server: EchoServer? = try await EchoServer()
            let port = try #require(server?.port)
            for _ in 0..<50 {
                let client = try RawClient(port: port)
                try client.send("x")
                _ = try client.receive(until: "x")
            }
            await server?.stop()
            server = nil
            // The runtime may have opened a timer or two of its own meanwhile; a leak of ours would be fifty.
            let deadline = Deadline.after(.seconds(60))
            while ProcessFacts.openDescriptors > before + 8, !deadline.hasPassed() { await Task.yield() }
            #expect(ProcessFacts.openDescriptors <= before + 8)
        }
    }

    /// The loop must poll after each round of such jobs, not after four.
    @Test func `long jobs let the loop poll its sockets after each round`() async throws {
        let loop = try EventLoop(name: "test-loop")
        let looks = await Task(executorPreference: loop) {
            let before = loop.pollCount
            for _ in 0..<8 {
                let end = Deadline.after(.milliseconds(1))
                while !end.hasPassed() {}
                await Task.yield()
            }
            return loop.pollCount - before
        }.value
        #expect(looks >= 8)
        await loop.stop()
    }
}
