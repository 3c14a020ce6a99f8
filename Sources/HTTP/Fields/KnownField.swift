/// The common field names, each with a number. A lookup of a known field compares one byte instead of a string.
enum KnownField: UInt8, CaseIterable {
    case anyOther, accept, acceptCharset, acceptEncoding, acceptLanguage, acceptRanges
    case accessControlAllowCredentials, accessControlAllowHeaders, accessControlAllowMethods
    case accessControlAllowOrigin, accessControlExposeHeaders, accessControlMaxAge
    case accessControlRequestHeaders, accessControlRequestMethod, age, allow, authorization
    case cacheControl, connection, contentDisposition, contentEncoding, contentLanguage
    case contentLength, contentLocation, contentRange, contentSecurityPolicy, contentType, cookie
    case crossOriginOpenerPolicy, crossOriginResourcePolicy, date, etag, expect, expires
    case forwarded, host, idempotencyKey, ifMatch, ifModifiedSince, ifNoneMatch, ifRange
    case ifUnmodifiedSince, keepAlive, lastEventID, lastModified, link, location, origin
    case permissionsPolicy, pragma, prefer, preferenceApplied, proxyAuthorization, range, referer
    case referrerPolicy, retryAfter, secFetchDest, secFetchMode, secFetchSite, secFetchUser
    case server, setCookie, strictTransportSecurity, te, trailer, transferEncoding, upgrade
    case upgradeInsecureRequests, userAgent, vary, via, wwwAuthenticate, xContentTypeOptions
    case xForwardedFor, xForwardedHost, xForwardedProto, xFrameOptions, xRequestID

    /// The name as responses write it; empty for `anyOther`.
    var text: StaticString {
        switch self {
        case .anyOther: ""
        case .accept: "Accept"
        case .acceptCharset: "Accept-Charset"
        case .acceptEncoding: "Accept-Encoding"
        case .acceptLanguage: "Accept-Language"
        case .acceptRanges: "Accept-Ranges"
        case .accessControlAllowCredentials: "Access-Control-Allow-Credentials"
        case .accessControlAllowHeaders: "Access-Control-Allow-Headers"
        case .accessControlAllowMethods: "Access-Control-Allow-Methods"
        case .accessControlAllowOrigin: "Access-Control-Allow-Origin"
        case .accessControlExposeHeaders: "Access-Control-Expose-Headers"
        case .accessControlMaxAge: "Access-Control-Max-Age"
        case .accessControlRequestHeaders: "Access-Control-Request-Headers"
        case .accessControlRequestMethod: "Access-Control-Request-Method"
        case .age: "Age"
        case .allow: "Allow"
        case .authorization: "Authorization"
        case .cacheControl: "Cache-Control"
        case .connection: "Connection"
        case .contentDisposition: "Content-Disposition"
        case .contentEncoding: "Content-Encoding"
        case .contentLanguage: "Content-Language"
        case .contentLength: "Content-Length"
        case .contentLocation: "Content-Location"
        case .contentRange: "Content-Range"
        case .contentSecurityPolicy: "Content-Security-Policy"
        case .contentType: "Content-Type"
        case .cookie: "Cookie"
        case .crossOriginOpenerPolicy: "Cross-Origin-Opener-Policy"
        case .crossOriginResourcePolicy: "Cross-Origin-Resource-Policy"
        case .date: "Date"
        case .etag: "ETag"
        case .expect: "Expect"
        case .expires: "Expires"
        case .forwarded: "Forwarded"
        case .host: "Host"
        case .idempotencyKey: "Idempotency-Key"
        case .ifMatch: "If-Match"
        case .ifModifiedSince: "If-Modified-Since"
        case .ifNoneMatch: "If-None-Match"
        case .ifRange: "If-Range"
        case .ifUnmodifiedSince: "If-Unmodified-Since"
        case .keepAlive: "Keep-Alive"
        case .lastEventID: "Last-Event-ID"
        case .lastModified: "Last-Modified"
        case .link: "Link"
        case .location: "Location"
        case .origin: "Origin"
        case .permissionsPolicy: "Permissions-Policy"
        case .pragma: "Pragma"
        case .prefer: "Prefer"
        case .preferenceApplied: "Preference-Applied"
        case .proxyAuthorization: "Proxy-Authorization"
        case .range: "Range"
        case .referer: "Referer"
        case .referrerPolicy: "Referrer-Policy"
        case .retryAfter: "Retry-After"
        case .secFetchDest: "Sec-Fetch-Dest"
        case .secFetchMode: "Sec-Fetch-Mode"
        case .secFetchSite: "Sec-Fetch-Site"
        case .secFetchUser: "Sec-Fetch-User"
        case .server: "Server"
        case .setCookie: "Set-Cookie"
        case .strictTransportSecurity: "Strict-Transport-Security"
        case .te: "TE"
        case .trailer: "Trailer"
        case .transferEncoding: "Transfer-Encoding"
        case .upgrade: "Upgrade"
        case .upgradeInsecureRequests: "Upgrade-Insecure-Requests"
        case .userAgent: "User-Agent"
        case .vary: "Vary"
        case .via: "Via"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .xContentTypeOptions: "X-Content-Type-Options"
        case .xForwardedFor: "X-Forwarded-For"
        case .xForwardedHost: "X-Forwarded-Host"
        case .xForwardedProto: "X-Forwarded-Proto"
        case .xFrameOptions: "X-Frame-Options"
        case .xRequestID: "X-Request-ID"
        }
    }

    /// Returns the field of a name, or `anyOther`. Compares the length first, then the bytes.
    ///
    /// - Parameter name: A valid token in any case; not empty.
    @inline(__always)
    static func recognize(_ name: UnsafeRawBufferPointer) -> KnownField {
        switch name.count {
        case 2:
            if name.spells(.te) { return .te }
        case 3:
            if name.spells(.age) { return .age }
            if name.spells(.via) { return .via }
        case 4:
            if name.spells(.date) { return .date }
            if name.spells(.etag) { return .etag }
            if name.spells(.host) { return .host }
            if name.spells(.link) { return .link }
            if name.spells(.vary) { return .vary }
        case 5:
            if name.spells(.allow) { return .allow }
            if name.spells(.range) { return .range }
        case 6:
            if name.spells(.accept) { return .accept }
            if name.spells(.cookie) { return .cookie }
            if name.spells(.expect) { return .expect }
            if name.spells(.origin) { return .origin }
            if name.spells(.pragma) { return .pragma }
            if name.spells(.prefer) { return .prefer }
            if name.spells(.server) { return .server }
        case 7:
            if name.spells(.expires) { return .expires }
            if name.spells(.referer) { return .referer }
            if name.spells(.trailer) { return .trailer }
            if name.spells(.upgrade) { return .upgrade }
        case 8:
            if name.spells(.ifMatch) { return .ifMatch }
            if name.spells(.ifRange) { return .ifRange }
            if name.spells(.location) { return .location }
        case 9:
            if name.spells(.forwarded) { return .forwarded }
        case 10:
            if name.spells(.connection) { return .connection }
            if name.spells(.keepAlive) { return .keepAlive }
            if name.spells(.setCookie) { return .setCookie }
            if name.spells(.userAgent) { return .userAgent }
        case 11:
            if name.spells(.retryAfter) { return .retryAfter }
        case 12:
            if name.spells(.contentType) { return .contentType }
            if name.spells(.xRequestID) { return .xRequestID }
        case 13:
            if name.spells(.acceptRanges) { return .acceptRanges }
            if name.spells(.authorization) { return .authorization }
            if name.spells(.cacheControl) { return .cacheControl }
            if name.spells(.contentRange) { return .contentRange }
            if name.spells(.ifNoneMatch) { return .ifNoneMatch }
            if name.spells(.lastEventID) { return .lastEventID }
            if name.spells(.lastModified) { return .lastModified }
        case 14:
            if name.spells(.acceptCharset) { return .acceptCharset }
            if name.spells(.contentLength) { return .contentLength }
            if name.spells(.secFetchDest) { return .secFetchDest }
            if name.spells(.secFetchMode) { return .secFetchMode }
            if name.spells(.secFetchSite) { return .secFetchSite }
            if name.spells(.secFetchUser) { return .secFetchUser }
        case 15:
            if name.spells(.acceptEncoding) { return .acceptEncoding }
            if name.spells(.acceptLanguage) { return .acceptLanguage }
            if name.spells(.idempotencyKey) { return .idempotencyKey }
            if name.spells(.referrerPolicy) { return .referrerPolicy }
            if name.spells(.xForwardedFor) { return .xForwardedFor }
            if name.spells(.xFrameOptions) { return .xFrameOptions }
        case 16:
            if name.spells(.contentEncoding) { return .contentEncoding }
            if name.spells(.contentLanguage) { return .contentLanguage }
            if name.spells(.contentLocation) { return .contentLocation }
            if name.spells(.wwwAuthenticate) { return .wwwAuthenticate }
            if name.spells(.xForwardedHost) { return .xForwardedHost }
        case 17:
            if name.spells(.ifModifiedSince) { return .ifModifiedSince }
            if name.spells(.transferEncoding) { return .transferEncoding }
            if name.spells(.xForwardedProto) { return .xForwardedProto }
        case 18:
            if name.spells(.permissionsPolicy) { return .permissionsPolicy }
            if name.spells(.preferenceApplied) { return .preferenceApplied }
        case 19:
            if name.spells(.contentDisposition) { return .contentDisposition }
            if name.spells(.ifUnmodifiedSince) { return .ifUnmodifiedSince }
            if name.spells(.proxyAuthorization) { return .proxyAuthorization }
        case 22:
            if name.spells(.accessControlMaxAge) { return .accessControlMaxAge }
            if name.spells(.xContentTypeOptions) { return .xContentTypeOptions }
        case 23:
            if name.spells(.contentSecurityPolicy) { return .contentSecurityPolicy }
        case 25:
            if name.spells(.strictTransportSecurity) { return .strictTransportSecurity }
            if name.spells(.upgradeInsecureRequests) { return .upgradeInsecureRequests }
        case 26:
            if name.spells(.crossOriginOpenerPolicy) { return .crossOriginOpenerPolicy }
        case 27:
            if name.spells(.accessControlAllowOrigin) { return .accessControlAllowOrigin }
        case 28:
            if name.spells(.accessControlAllowHeaders) { return .accessControlAllowHeaders }
            if name.spells(.accessControlAllowMethods) { return .accessControlAllowMethods }
            if name.spells(.crossOriginResourcePolicy) { return .crossOriginResourcePolicy }
        case 29:
            if name.spells(.accessControlExposeHeaders) { return .accessControlExposeHeaders }
            if name.spells(.accessControlRequestMethod) { return .accessControlRequestMethod }
        case 30:
            if name.spells(.accessControlRequestHeaders) { return .accessControlRequestHeaders }
        case 32:
            if name.spells(.accessControlAllowCredentials) { return .accessControlAllowCredentials }
        default: break
        }
        return .anyOther
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a token of the right length equals this name. Setting bit 0x20 ignores case. The result is exact for
    /// tokens: setting the bit maps only the two cases of a letter to the same letter, and no other token byte to a
    /// byte of a known name.
    @inline(__always)
    fileprivate func spells(_ field: KnownField) -> Bool {
        guard let mine = baseAddress else { return false }
        let other = UnsafeRawPointer(field.text.utf8Start)
        let fold: UInt64 = 0x2020_2020_2020_2020
        if count < 8 {
            for index in 0..<count {
                let a = mine.load(fromByteOffset: index, as: UInt8.self) | 0x20
                guard a == other.load(fromByteOffset: index, as: UInt8.self) | 0x20 else { return false }
            }
            return true
        }
        // Compares eight-byte words. The last word overlaps the previous word.
        var index = 0
        while true {
            let a = mine.loadUnaligned(fromByteOffset: index, as: UInt64.self) | fold
            guard a == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) | fold else { return false }
            if index == count &- 8 { return true }
            index = Swift.min(index &+ 8, count &- 8)
        }
    }
}
