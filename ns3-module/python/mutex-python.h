/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_PYTHON_H
#define MUTEX_PYTHON_H

#include "ns3/callback.h"
#include "ns3/demangle.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object-base.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

/**
 * @file
 * @ingroup manet-mutex
 * What scripts/manet_mutex needs on ns-3's side to make trace sinks and events of Python functions,
 * which it knows by numbers, and to check attributes. Python's interpreter of C++ takes long for
 * each template and each container: signatures are simple, and what can be is compiled.
 */

namespace manet_mutex_python
{

/// @param python calls the Python function with this number
void SetPython(void (*python)(uint64_t number));
/// Calls a Python function. @param number its number
void CallPython(uint64_t number);

/// A Python function's number. When its last copy goes, nothing can call the function any more.
using Number = std::shared_ptr<const uint64_t>;
/// @param number a Python function's @returns the first copy
Number MakeNumber(uint64_t number);
/// @returns a number of which no copy is left, once; 0 if there is none
uint64_t NextForgotten();

/**
 * One argument of a call, by value: a reference would dangle once the sink has returned. One field
 * counts, which Describe tells.
 */
struct Argument
{
    int64_t integer{0};    //!< integer and enum
    uint64_t natural{0};   //!< natural and bool
    double real{0};        //!< real
    std::string text;      //!< text
    void* object{nullptr}; //!< object; Python deletes it

    /// @param value the argument
    template <typename T>
    explicit Argument(const T& value)
    {
        if constexpr (std::is_enum_v<T>)
        {
            integer = static_cast<int64_t>(value);
        }
        else if constexpr (std::is_floating_point_v<T>)
        {
            real = value;
        }
        else if constexpr (std::is_unsigned_v<T>)
        {
            natural = value;
        }
        else if constexpr (std::is_integral_v<T>)
        {
            integer = value;
        }
        else if constexpr (std::is_convertible_v<T, std::string>)
        {
            text = value;
        }
        else
        {
            object = new T(value);
        }
    }

    /// @returns the field's name, and the type's for enum and object; a line
    template <typename T>
    static std::string Describe()
    {
        if constexpr (std::is_enum_v<T>)
        {
            return "enum " + ns3::Demangle(typeid(T).name()) + "\n";
        }
        else if constexpr (std::is_arithmetic_v<T>)
        {
            return std::is_same_v<T, bool>        ? "bool\n"
                   : std::is_floating_point_v<T> ? "real\n"
                   : std::is_unsigned_v<T>       ? "natural\n"
                                                 : "integer\n";
        }
        else if constexpr (std::is_convertible_v<T, std::string>)
        {
            return "text\n";
        }
        else
        {
            return "object " + ns3::Demangle(typeid(T).name()) + "\n";
        }
    }
};

/// Keeps the arguments until Python has fetched them. @param arguments of the call to come
void SetArguments(std::vector<Argument> arguments);
/// @param i an argument's place @returns the argument of the call that is being made
const Argument& GetArgument(std::size_t i);

/// What it takes to connect sinks of one signature.
struct Signature
{
    std::string arguments; //!< described, a line each
    /// connects to an object's trace source the function with this number
    std::function<bool(ns3::ObjectBase&, const std::string&, uint64_t)> connect;
};

/// @param name a signature's in ns-3's documentation @param signature what belongs to it
void Learn(const std::string& name, const Signature& signature);

/// Learns a signature. @param name its name in ns-3's documentation
template <typename... Args>
void
Learn(const std::string& name, void (*)(Args...))
{
    const auto connect =
        [](ns3::ObjectBase& object, const std::string& trace, uint64_t function) {
            const auto sink = [number = MakeNumber(function)](Args... args) {
                SetArguments({Argument(args)...});
                CallPython(*number);
            };
            return object.TraceConnectWithoutContext(trace, ns3::Callback<void, Args...>(sink));
        };
    Learn(name, Signature{(Argument::Describe<std::decay_t<Args>>() + ... + ""), connect});
}

/// @param signature its name @returns its arguments, described, or "unknown"
std::string ArgumentsOf(const std::string& signature);
/**
 * @param type a type
 * @param trace the name of a trace source
 * @returns the name of its signature, or nothing if the type has no such trace source
 */
std::string SignatureOf(ns3::TypeId type, const std::string& trace);
/**
 * Makes a Python function a sink.
 * @param signature of the trace source
 * @param object whose trace source it is
 * @param trace its name
 * @param number the function's
 * @returns whether it worked
 */
bool Connect(const std::string& signature,
             ns3::ObjectBase& object,
             const std::string& trace,
             uint64_t number);
/// Makes a Python function an event. @param delay from now @param number the function's
ns3::EventId Schedule(const ns3::Time& delay, uint64_t number);

/// An attribute of a type.
struct Attribute
{
    bool found{false};                             //!< whether there is one
    ns3::TypeId::AttributeInformation information; //!< what is known of it
};

/// @param type a type @param name an attribute's @returns the attribute
Attribute FindAttribute(ns3::TypeId type, const std::string& name);
/// @param attribute an attribute @param value for it @returns whether it can have this value
bool Accepts(const Attribute& attribute, const ns3::AttributeValue& value);

} // namespace manet_mutex_python

#endif // MUTEX_PYTHON_H
