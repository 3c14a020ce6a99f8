internal import CCurl
internal import Glibc
internal import HTTP

/// One request while libcurl performs it. Confined to the thread of its sender.
final class Transfer {
    let request: OutgoingRequest
    private let policy: AddressPolicy
    private let limits: SendingLimits
    private let completion: CheckedContinuation<Result<IncomingResponse, SendingFailure>, Never>
    private(set) var handle: UnsafeMutableRawPointer?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var kept: [UInt8] = []
    private var bodyBytes = 0
    private var headBytes = 0
    private var isCut = false
    /// Whether the last line of the head was the empty one that ends it.
    private var isHeadComplete = false
    private var isNotAllowed = false
    private var keptFields: [String: String] = [:]
    /// The file for the body; -1 before it is open.
    private var descriptor: Int32 = -1
    private var fileBytes: Int64 = 0
    /// The error of the file, as a sentence.
    private var fileProblem: String?

    init(
        _ request: OutgoingRequest, _ policy: AddressPolicy, _ limits: SendingLimits,
        _ completion: CheckedContinuation<Result<IncomingResponse, SendingFailure>, Never>
    ) {
        self.request = request
        self.policy = policy
        self.limits = limits
        self.completion = completion
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        closeFile()
        if let handle { curl_easy_cleanup(handle) }
        curl_slist_free_all(fields)
        errorText.deallocate()
    }

    /// Creates the handle of libcurl; `nil` if libcurl rejects an option.
    ///
    /// - Parameters:
    ///   - agent: The value of the field User-Agent.
    ///   - authorities: The path of a file with certificate authorities; `nil` for those of the system.
    func makeHandle(agent: String, authorities: String?) -> UnsafeMutableRawPointer? {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        var isAccepted = true
        func number(_ option: CURLoption, _ value: Int) {
            if fogbase_curl_set_number(handle, option, value) != CURLE_OK { isAccepted = false }
        }
        func text(_ option: CURLoption, _ value: String) {
            if fogbase_curl_set_text(handle, option, value) != CURLE_OK { isAccepted = false }
        }
        let own = Unmanaged.passUnretained(self).toOpaque()
        text(CURLOPT_URL, request.url.text)
        text(CURLOPT_PROTOCOLS_STR, request.url.isEncrypted ? "https" : "http")
        // The environment must not name a proxy: its address would be checked, and not that of the receiver.
        text(CURLOPT_PROXY, "")
        text(CURLOPT_NOPROXY, "*")
        text(CURLOPT_USERAGENT, agent)
        if let authorities { text(CURLOPT_CAINFO, authorities) }
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_SSL_VERIFYPEER, 1)
        number(CURLOPT_SSL_VERIFYHOST, 2)
        number(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        // No signals in a process with threads. A thread that resolves a name may outlive the transfer.
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_QUICK_EXIT, 1)
        number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        number(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
        if let milliseconds = limits.totalMilliseconds { number(CURLOPT_TIMEOUT_MS, milliseconds) }
        if let seconds = limits.idleSeconds {
            number(CURLOPT_LOW_SPEED_LIMIT, 1)
            number(CURLOPT_LOW_SPEED_TIME, seconds)
        }
        if let body = request.body {
            number(CURLOPT_POST, 1)
            number(CURLOPT_POSTFIELDSIZE, body.count)
        }
        if fogbase_curl_set_text(handle, CURLOPT_PRIVATE, nil) != CURLE_OK { isAccepted = false }
        for field in request.fields { fields = curl_slist_append(fields, "\(field.name): \(field.value)") }
        // Without this, libcurl waits a second for "100 Continue" before a long body.
        fields = curl_slist_append(fields, "Expect:")
        for (option, pointer) in [
            (CURLOPT_HTTPHEADER, UnsafeRawPointer(fields)), (CURLOPT_ERRORBUFFER, UnsafeRawPointer(errorText)),
            (CURLOPT_PRIVATE, UnsafeRawPointer(own)),
        ] where fogbase_curl_set_pointer(handle, option, pointer) != CURLE_OK {
            isAccepted = false
        }
        let copied = request.body?.withUnsafeBytes {
            fogbase_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(errorText))
        }
        let receivers = [
            fogbase_curl_set_receiver(handle, CURLOPT_WRITEFUNCTION, receiveBody, CURLOPT_WRITEDATA, own),
            fogbase_curl_set_receiver(handle, CURLOPT_HEADERFUNCTION, receiveHead, CURLOPT_HEADERDATA, own),
            fogbase_curl_set_opener(handle, openSocket, own),
        ]
        guard isAccepted, (copied ?? CURLE_OK) == CURLE_OK, receivers.allSatisfy({ $0 == CURLE_OK }) else { return nil }
        return handle
    }

    // MARK: Events of libcurl

    /// Returns whether libcurl may connect to an address.
    fileprivate func mayConnect(to address: IPAddress) -> Bool {
        let mayConnect = policy.allows(address, isEncrypted: request.url.isEncrypted)
        if !mayConnect { isNotAllowed = true }
        return mayConnect
    }

    /// Receives a part of the body. Returns whether libcurl should read on.
    fileprivate func receive(body: UnsafeRawBufferPointer) -> Bool {
        if let file = request.file, let handle, fogbase_curl_number(handle, CURLINFO_RESPONSE_CODE) == 200 {
            return write(body, to: file)
        }
        kept.append(contentsOf: body.prefix(limits.keptBytes - kept.count))
        bodyBytes += body.count
        isCut = bodyBytes > limits.bodyBytes
        return !isCut
    }

    /// Appends bytes to the file. Returns whether that succeeded.
    private func write(_ bytes: UnsafeRawBufferPointer, to file: String) -> Bool {
        guard openFile(file) else { return false }
        fileBytes += Int64(bytes.count)
        isCut = request.mostFileBytes.map { fileBytes > $0 } ?? false
        guard !isCut else { return false }
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                fileProblem = "The file \(file) cannot be written: \(String(cString: strerror(errno)))"
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return true
    }

    /// Creates the file, unless it is open. Returns whether that succeeded.
    private func openFile(_ file: String) -> Bool {
        if descriptor >= 0 { return true }
        descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            fileProblem = "The file \(file) cannot be created: \(String(cString: strerror(errno)))"
        }
        return descriptor >= 0
    }

    private func closeFile() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Receives a header line. Returns whether libcurl should read on.
    fileprivate func receive(headLine line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        keepField(line)
        isHeadComplete = line.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        return headBytes <= limits.headBytes
    }

    private func keepField(_ line: UnsafeRawBufferPointer) {
        guard !request.keptFields.isEmpty, let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard request.keptFields.contains(name) else { return }
        let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        keptFields[name] = String(decoding: value.prefix { $0 >= 0x20 }, as: UTF8.self)
    }

    // MARK: End

    func fail(_ failure: SendingFailure) {
        completion.resume(returning: .failure(failure))
    }

    func finish(_ code: CURLcode) {
        guard let handle else { return fail(.closed) }
        let status = fogbase_curl_number(handle, CURLINFO_RESPONSE_CODE)
        // If the rest of a long body is not read, the status is known nevertheless.
        guard code == CURLE_OK || isCut, status >= 200 else { return fail(failure(of: code)) }
        // libcurl accepts a connection that ends within the head. Such a response is no acknowledgement.
        guard isHeadComplete else { return fail(.failed("The receiver's response broke off within its head")) }
        // An empty body has not opened the file.
        if status == 200, let file = request.file {
            guard openFile(file) else { return fail(failure(of: code)) }
            closeFile()
        }
        let delay = fogbase_curl_large_number(handle, CURLINFO_RETRY_AFTER)
        completion.resume(
            returning: .success(
                IncomingResponse(
                    status: status, body: kept, retryAfter: delay > 0 ? delay : nil,
                    isTruncated: isCut || bodyBytes > kept.count, fields: keptFields)))
    }

    private func failure(of code: CURLcode) -> SendingFailure {
        if isNotAllowed, code == CURLE_COULDNT_CONNECT { return .notAllowed(isEncrypted: request.url.isEncrypted) }
        return .failed(fileProblem ?? reason(of: code))
    }

    private func reason(of code: CURLcode) -> String {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return "The receiver did not respond in time"
        case CURLE_WRITE_ERROR: return "The receiver's response has too many header fields"
        case CURLE_OK: return "The receiver sent no final response"
        default:
            let detail = String(cString: errorText)
            return detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        }
    }
}

private func transfer(_ argument: UnsafeMutableRawPointer?) -> Transfer? {
    argument.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

/// Returns 0, which ends the transfer, if the rest of the body is not needed.
private func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ argument: UnsafeMutableRawPointer?
) -> Int {
    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(argument)?.receive(body: body) == true ? body.count : 0
}

private func receiveHead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ argument: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(argument)?.receive(headLine: line) == true ? line.count : 0
}

/// Creates the socket of a connection. libcurl has resolved the name, so this is the address that it connects to. A
/// name whose address changes after a check (DNS rebinding) is therefore no way around the policy.
private func openSocket(
    _ argument: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard let address, let transfer = transfer(argument) else { return CURL_SOCKET_BAD }
    let target: IPAddress
    switch fogbase_curl_address(address, &bytes) {
    case 4: target = IPAddress(ipv4: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
        target = IPAddress(
            high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    default: return CURL_SOCKET_BAD
    }
    return transfer.mayConnect(to: target) ? fogbase_curl_socket(address) : CURL_SOCKET_BAD
}
