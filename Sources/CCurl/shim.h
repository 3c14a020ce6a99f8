#ifndef FOGBASE_CCURL_SHIM_H
#define FOGBASE_CCURL_SHIM_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

// Wrappers for variadic functions, which Swift cannot call. The parentheses around the names skip libcurl's macros.

/// Sets an option whose value is a number or a Boolean.
static inline CURLcode fogbase_curl_set_number(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Sets an option whose value is a text. libcurl copies the text.
static inline CURLcode fogbase_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Sets an option whose value is a pointer. The memory must outlive the transfer.
static inline CURLcode fogbase_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/// Sets the function that receives the body or the header lines, with its argument.
static inline CURLcode fogbase_curl_set_receiver(
    CURL *handle, CURLoption function, curl_write_callback receiver, CURLoption data, void *argument) {
    CURLcode code = (curl_easy_setopt)(handle, function, receiver);
    return code != CURLE_OK ? code : (curl_easy_setopt)(handle, data, argument);
}

/// Sets the function that creates each socket, with its argument.
static inline CURLcode fogbase_curl_set_opener(CURL *handle, curl_opensocket_callback opener, void *argument) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
    return code != CURLE_OK ? code : (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETDATA, argument);
}

/// Returns a number about a transfer; -1 if there is none.
static inline long fogbase_curl_number(CURL *handle, CURLINFO info) {
    long value = -1;
    return (curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? value : -1;
}

/// Returns a 64-bit number about a transfer; -1 if there is none.
static inline int64_t fogbase_curl_large_number(CURL *handle, CURLINFO info) {
    curl_off_t value = -1;
    return (curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? (int64_t)value : -1;
}

/// Returns the argument that CURLOPT_PRIVATE has set.
static inline void *fogbase_curl_private(CURL *handle) {
    void *value = NULL;
    (curl_easy_getinfo)(handle, CURLINFO_PRIVATE, &value);
    return value;
}

/// Sets a numeric option of a multi handle.
static inline CURLMcode fogbase_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

/// Returns the result in a message of `curl_multi_info_read`.
static inline CURLcode fogbase_curl_result(const CURLMsg *message) { return message->data.result; }

/// Writes the bytes of an IP address to `bytes`, in network order. Returns their number, 4 or 16; 0 for other families.
static inline int fogbase_curl_address(const struct curl_sockaddr *address, uint8_t *bytes) {
    // `addr` is the beginning of a longer structure, whose length is `addrlen`.
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in ipv4;
        memcpy(&ipv4, &address->addr, sizeof ipv4);
        memcpy(bytes, &ipv4.sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 ipv6;
        memcpy(&ipv6, &address->addr, sizeof ipv6);
        memcpy(bytes, &ipv6.sin6_addr, 16);
        return 16;
    }
    return 0;
}

/// Creates a socket for an address. Returns CURL_SOCKET_BAD on failure.
static inline curl_socket_t fogbase_curl_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

#endif
