/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_NETWORK_H
#define SCENARIO_NETWORK_H

#include "options.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/propagation-loss-model.h"

namespace scenario
{

/// Nodes that move and have radios.
class Network
{
  public:
    /// @param options what to build
    explicit Network(const Options& options);

    ns3::NodeContainer nodes;                        //!< all of them
    ns3::NetDeviceContainer devices;                 //!< one each
    ns3::Ptr<ns3::PropagationLossModel> oracle;      //!< the channel's loss without its randomness

    /// Lets everybody reach everybody: radios send 40 dB stronger, and nothing cuts power off.
    void Heal();

  private:
    void Place(const Options& options);    //!< gives nodes places and motion
    void AddWifi(const Options& options);  //!< gives nodes 802.11 radios
    void AddIdeal(const Options& options); //!< gives nodes ideal devices
    void AddRouting(const Options& options); //!< gives nodes internet stacks and addresses

    ns3::Ptr<ns3::PropagationLossModel> m_loss;   //!< the channel's
    ns3::Ptr<ns3::PropagationLossModel> m_cutoff; //!< the model that cuts power off, if there is one
    int64_t m_stream{1000};                       //!< the next free random stream
};

} // namespace scenario

#endif // SCENARIO_NETWORK_H
