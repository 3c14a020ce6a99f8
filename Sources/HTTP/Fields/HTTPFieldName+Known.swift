/// The names of the fields in `KnownField`.
extension HTTPFieldName {
    /// `Accept` (RFC 9110 §12.5.1).
    public static var accept: HTTPFieldName { HTTPFieldName(.accept) }
    /// `Accept-Charset` (RFC 9110 §12.5.2).
    public static var acceptCharset: HTTPFieldName { HTTPFieldName(.acceptCharset) }
    /// `Accept-Encoding` (RFC 9110 §12.5.3).
    public static var acceptEncoding: HTTPFieldName { HTTPFieldName(.acceptEncoding) }
    /// `Accept-Language` (RFC 9110 §12.5.4).
    public static var acceptLanguage: HTTPFieldName { HTTPFieldName(.acceptLanguage) }
    /// `Accept-Ranges` (RFC 9110 §14.3).
    public static var acceptRanges: HTTPFieldName { HTTPFieldName(.acceptRanges) }
    /// `Access-Control-Allow-Credentials` (Fetch standard).
    public static var accessControlAllowCredentials: HTTPFieldName { HTTPFieldName(.accessControlAllowCredentials) }
    /// `Access-Control-Allow-Headers` (Fetch standard).
    public static var accessControlAllowHeaders: HTTPFieldName { HTTPFieldName(.accessControlAllowHeaders) }
    /// `Access-Control-Allow-Methods` (Fetch standard).
    public static var accessControlAllowMethods: HTTPFieldName { HTTPFieldName(.accessControlAllowMethods) }
    /// `Access-Control-Allow-Origin` (Fetch standard).
    public static var accessControlAllowOrigin: HTTPFieldName { HTTPFieldName(.accessControlAllowOrigin) }
    /// `Access-Control-Expose-Headers` (Fetch standard).
    public static var accessControlExposeHeaders: HTTPFieldName { HTTPFieldName(.accessControlExposeHeaders) }
    /// `Access-Control-Max-Age` (Fetch standard).
    public static var accessControlMaxAge: HTTPFieldName { HTTPFieldName(.accessControlMaxAge) }
    /// `Access-Control-Request-Headers` (Fetch standard).
    public static var accessControlRequestHeaders: HTTPFieldName { HTTPFieldName(.accessControlRequestHeaders) }
    /// `Access-Control-Request-Method` (Fetch standard).
    public static var accessControlRequestMethod: HTTPFieldName { HTTPFieldName(.accessControlRequestMethod) }
    /// `Age` (RFC 9111 §5.1).
    public static var age: HTTPFieldName { HTTPFieldName(.age) }
    /// `Allow` (RFC 9110 §10.2.1).
    public static var allow: HTTPFieldName { HTTPFieldName(.allow) }
    /// `Authorization` (RFC 9110 §11.6.2).
    public static var authorization: HTTPFieldName { HTTPFieldName(.authorization) }
    /// `Cache-Control` (RFC 9111 §5.2).
    public static var cacheControl: HTTPFieldName { HTTPFieldName(.cacheControl) }
    /// `Connection` (RFC 9110 §7.6.1).
    public static var connection: HTTPFieldName { HTTPFieldName(.connection) }
    /// `Content-Disposition` (RFC 6266 §4).
    public static var contentDisposition: HTTPFieldName { HTTPFieldName(.contentDisposition) }
    /// `Content-Encoding` (RFC 9110 §8.4).
    public static var contentEncoding: HTTPFieldName { HTTPFieldName(.contentEncoding) }
    /// `Content-Language` (RFC 9110 §8.5).
    public static var contentLanguage: HTTPFieldName { HTTPFieldName(.contentLanguage) }
    /// `Content-Length` (RFC 9110 §8.6).
    public static var contentLength: HTTPFieldName { HTTPFieldName(.contentLength) }
    /// `Content-Location` (RFC 9110 §8.7).
    public static var contentLocation: HTTPFieldName { HTTPFieldName(.contentLocation) }
    /// `Content-Range` (RFC 9110 §14.4).
    public static var contentRange: HTTPFieldName { HTTPFieldName(.contentRange) }
    /// `Content-Security-Policy` (Content Security Policy Level 3).
    public static var contentSecurityPolicy: HTTPFieldName { HTTPFieldName(.contentSecurityPolicy) }
    /// `Content-Type` (RFC 9110 §8.3).
    public static var contentType: HTTPFieldName { HTTPFieldName(.contentType) }
    /// `Cookie` (RFC 6265 §4.2).
    public static var cookie: HTTPFieldName { HTTPFieldName(.cookie) }
    /// `Cross-Origin-Opener-Policy` (HTML standard).
    public static var crossOriginOpenerPolicy: HTTPFieldName { HTTPFieldName(.crossOriginOpenerPolicy) }
    /// `Cross-Origin-Resource-Policy` (Fetch standard).
    public static var crossOriginResourcePolicy: HTTPFieldName { HTTPFieldName(.crossOriginResourcePolicy) }
    /// `Date` (RFC 9110 §6.6.1).
    public static var date: HTTPFieldName { HTTPFieldName(.date) }
    /// `ETag` (RFC 9110 §8.8.3).
    public static var etag: HTTPFieldName { HTTPFieldName(.etag) }
    /// `Expect` (RFC 9110 §10.1.1).
    public static var expect: HTTPFieldName { HTTPFieldName(.expect) }
    /// `Expires` (RFC 9111 §5.3).
    public static var expires: HTTPFieldName { HTTPFieldName(.expires) }
    /// `Forwarded` (RFC 7239 §4).
    public static var forwarded: HTTPFieldName { HTTPFieldName(.forwarded) }
    /// `Host` (RFC 9110 §7.2).
    public static var host: HTTPFieldName { HTTPFieldName(.host) }
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    public static var idempotencyKey: HTTPFieldName { HTTPFieldName(.idempotencyKey) }
    /// `If-Match` (RFC 9110 §13.1.1).
    public static var ifMatch: HTTPFieldName { HTTPFieldName(.ifMatch) }
    /// `If-Modified-Since` (RFC 9110 §13.1.3).
    public static var ifModifiedSince: HTTPFieldName { HTTPFieldName(.ifModifiedSince) }
    /// `If-None-Match` (RFC 9110 §13.1.2).
    public static var ifNoneMatch: HTTPFieldName { HTTPFieldName(.ifNoneMatch) }
    /// `If-Range` (RFC 9110 §13.1.5).
    public static var ifRange: HTTPFieldName { HTTPFieldName(.ifRange) }
    /// `If-Unmodified-Since` (RFC 9110 §13.1.4).
    public static var ifUnmodifiedSince: HTTPFieldName { HTTPFieldName(.ifUnmodifiedSince) }
    /// `Keep-Alive` (RFC 2068 §19.7.1.1).
    public static var keepAlive: HTTPFieldName { HTTPFieldName(.keepAlive) }
    /// `Last-Event-ID` (HTML standard).
    public static var lastEventID: HTTPFieldName { HTTPFieldName(.lastEventID) }
    /// `Last-Modified` (RFC 9110 §8.8.2).
    public static var lastModified: HTTPFieldName { HTTPFieldName(.lastModified) }
    /// `Link` (RFC 8288 §3).
    public static var link: HTTPFieldName { HTTPFieldName(.link) }
    /// `Location` (RFC 9110 §10.2.2).
    public static var location: HTTPFieldName { HTTPFieldName(.location) }
    /// `Origin` (RFC 6454 §7).
    public static var origin: HTTPFieldName { HTTPFieldName(.origin) }
    /// `Permissions-Policy` (Permissions Policy).
    public static var permissionsPolicy: HTTPFieldName { HTTPFieldName(.permissionsPolicy) }
    /// `Pragma` (RFC 9111 §5.4).
    public static var pragma: HTTPFieldName { HTTPFieldName(.pragma) }
    /// `Prefer` (RFC 7240 §2).
    public static var prefer: HTTPFieldName { HTTPFieldName(.prefer) }
    /// `Preference-Applied` (RFC 7240 §3).
    public static var preferenceApplied: HTTPFieldName { HTTPFieldName(.preferenceApplied) }
    /// `Proxy-Authorization` (RFC 9110 §11.7.2).
    public static var proxyAuthorization: HTTPFieldName { HTTPFieldName(.proxyAuthorization) }
    /// `Range` (RFC 9110 §14.2).
    public static var range: HTTPFieldName { HTTPFieldName(.range) }
    /// `Referer` (RFC 9110 §10.1.3).
    public static var referer: HTTPFieldName { HTTPFieldName(.referer) }
    /// `Referrer-Policy` (Referrer Policy).
    public static var referrerPolicy: HTTPFieldName { HTTPFieldName(.referrerPolicy) }
    /// `Retry-After` (RFC 9110 §10.2.3).
    public static var retryAfter: HTTPFieldName { HTTPFieldName(.retryAfter) }
    /// `Sec-Fetch-Dest` (Fetch Metadata Request Headers).
    public static var secFetchDest: HTTPFieldName { HTTPFieldName(.secFetchDest) }
    /// `Sec-Fetch-Mode` (Fetch Metadata Request Headers).
    public static var secFetchMode: HTTPFieldName { HTTPFieldName(.secFetchMode) }
    /// `Sec-Fetch-Site` (Fetch Metadata Request Headers).
    public static var secFetchSite: HTTPFieldName { HTTPFieldName(.secFetchSite) }
    /// `Sec-Fetch-User` (Fetch Metadata Request Headers).
    public static var secFetchUser: HTTPFieldName { HTTPFieldName(.secFetchUser) }
    /// `Server` (RFC 9110 §10.2.4).
    public static var server: HTTPFieldName { HTTPFieldName(.server) }
    /// `Set-Cookie` (RFC 6265 §4.1).
    public static var setCookie: HTTPFieldName { HTTPFieldName(.setCookie) }
    /// `Strict-Transport-Security` (RFC 6797 §6.1).
    public static var strictTransportSecurity: HTTPFieldName { HTTPFieldName(.strictTransportSecurity) }
    /// `TE` (RFC 9110 §10.1.4).
    public static var te: HTTPFieldName { HTTPFieldName(.te) }
    /// `Trailer` (RFC 9110 §6.6.2).
    public static var trailer: HTTPFieldName { HTTPFieldName(.trailer) }
    /// `Transfer-Encoding` (RFC 9112 §6.1).
    public static var transferEncoding: HTTPFieldName { HTTPFieldName(.transferEncoding) }
    /// `Upgrade` (RFC 9110 §7.8).
    public static var upgrade: HTTPFieldName { HTTPFieldName(.upgrade) }
    /// `Upgrade-Insecure-Requests` (Upgrade Insecure Requests).
    public static var upgradeInsecureRequests: HTTPFieldName { HTTPFieldName(.upgradeInsecureRequests) }
    /// `User-Agent` (RFC 9110 §10.1.5).
    public static var userAgent: HTTPFieldName { HTTPFieldName(.userAgent) }
    /// `Vary` (RFC 9110 §12.5.5).
    public static var vary: HTTPFieldName { HTTPFieldName(.vary) }
    /// `Via` (RFC 9110 §7.6.3).
    public static var via: HTTPFieldName { HTTPFieldName(.via) }
    /// `WWW-Authenticate` (RFC 9110 §11.6.1).
    public static var wwwAuthenticate: HTTPFieldName { HTTPFieldName(.wwwAuthenticate) }
    /// `X-Content-Type-Options` (Fetch standard).
    public static var xContentTypeOptions: HTTPFieldName { HTTPFieldName(.xContentTypeOptions) }
    /// `X-Forwarded-For`, by convention of proxies.
    public static var xForwardedFor: HTTPFieldName { HTTPFieldName(.xForwardedFor) }
    /// `X-Forwarded-Host`, by convention of proxies.
    public static var xForwardedHost: HTTPFieldName { HTTPFieldName(.xForwardedHost) }
    /// `X-Forwarded-Proto`, by convention of proxies.
    public static var xForwardedProto: HTTPFieldName { HTTPFieldName(.xForwardedProto) }
    /// `X-Frame-Options` (HTML standard).
    public static var xFrameOptions: HTTPFieldName { HTTPFieldName(.xFrameOptions) }
    /// `X-Request-ID`, by convention of proxies.
    public static var xRequestID: HTTPFieldName { HTTPFieldName(.xRequestID) }
}
